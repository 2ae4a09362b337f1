#include "clusterversion/upgrade/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/upgrade/testing.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

using ::testing::HasSubstr;
using testing::story_cluster;

std::string exposure(const ClusterVersion& cluster, const char* name) {
  const auto found = find_risk(cluster, name);
  return found ? recorded_verdict(cluster, found->front()).exposure : found.error().message;
}

TEST(Explain, TheWholeText) {
  const ClusterVersion cluster = story_cluster();
  const auto found = find_risk(cluster, "AuthOAuthProxyLeakedConnections");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(risk_text(cluster, found->front()),
            "Risk:     AuthOAuthProxyLeakedConnections\n"
            "URL:      https://bugzilla.redhat.com/show_bug.cgi?id=1941840#c33\n"
            "Message:  On clusters with a Proxy configured, the authentication operator may keep many "
            "oauth-server connections open, resulting in high memory consumption by the authentication "
            "operator and router pods.\n"
            "Recorded: applies (the verdict on 4.7.4 since 2021-08-28T01:05:00Z)\n"
            "\n"
            "Updates with this risk:\n"
            "  4.7.4: Recommended=False MultipleReasons since 2021-08-28T01:05:00Z\n"
            "\n"
            "Rules, the first that gives a verdict counts:\n"
            "  1. PromQL\n"
            "       group(cluster_proxy_enabled{type=~\"https?\"} == 1)\n"
            "       or\n"
            "       0 * group(cluster_proxy_enabled)\n");
}

TEST(Explain, WhatWasRecorded) {
  ClusterVersion cluster = story_cluster();
  EXPECT_EQ(exposure(cluster, "ThanosDNSUnmarshalError"), "applies");
  EXPECT_EQ(exposure(cluster, "ExampleReason"), "unknown");
  auto& other = cluster.status.conditional_updates[2].conditions[1];
  other.message = "Something else.";
  EXPECT_EQ(exposure(cluster, "VSphereNodeNameChanges"), "does not apply");
  other.status = "True";
  EXPECT_EQ(exposure(cluster, "VSphereNodeNameChanges"), "does not apply");
  other.reason = "AllExposedRisksAccepted";
  EXPECT_EQ(exposure(cluster, "VSphereNodeNameChanges"), "does not apply, or is accepted");
  cluster.status.conditional_updates[2].conditions.clear();
  EXPECT_EQ(exposure(cluster, "VSphereNodeNameChanges"), "not evaluated yet");
}

TEST(Explain, TheRisksOwnConditionIsTheBestWord) {
  ClusterVersion cluster = story_cluster();
  Risk told = cluster.status.conditional_updates[2].risks[1];
  told.conditions.push_back({.type = "Applies", .status = "Unknown", .reason = "EvaluationFailed"});
  cluster.status.conditional_update_risks.push_back(told);
  EXPECT_EQ(exposure(cluster, "VSphereNodeNameChanges"), "unknown");
  cluster.status.conditional_update_risks[0].message = "of another definition";
  EXPECT_EQ(exposure(cluster, "VSphereNodeNameChanges"), "applies");
}

TEST(Explain, OneNameWithTwoDefinitionsIsTwo) {
  ClusterVersion cluster = story_cluster();
  Risk changed = cluster.status.conditional_updates[2].risks[1];
  cluster.status.conditional_updates[1].risks.push_back(changed);
  auto found = find_risk(cluster, "VSphereNodeNameChanges");
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().updates.size(), 2U);
  cluster.status.conditional_updates[1].risks.back().matching_rules = {{.type = "Always"}};
  found = find_risk(cluster, "VSphereNodeNameChanges");
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->front().updates.front()->release.version, "4.7.4");
  EXPECT_THAT(risk_text(cluster, found->back()), HasSubstr("  1. Always\n"));
}

TEST(Explain, ATypingErrorIsHelped) {
  EXPECT_EQ(exposure(story_cluster(), "VSphereNodeNamesChanges"),
            "expected the name of a risk of an update, found \"VSphereNodeNamesChanges\": did you mean "
            "\"VSphereNodeNameChanges\"?");
  EXPECT_THAT(exposure(story_cluster(), "Q"),
              HasSubstr("there are AuthOAuthProxyLeakedConnections, ExampleReason, "));
  ClusterVersion cluster = story_cluster();
  cluster.status.conditional_updates.clear();
  EXPECT_THAT(exposure(cluster, "Q"), HasSubstr("no update of this cluster has a risk"));
}

TEST(Explain, ForPrograms) {
  const ClusterVersion cluster = story_cluster();
  const json::Object document = risk_document(cluster, find_risk(cluster, "ExampleReason")->front());
  EXPECT_EQ(json::get_string(document, {"name"}), "ExampleReason");
  EXPECT_EQ(json::get_string(document, {"recorded", "exposure"}), "unknown");
  EXPECT_EQ(json::get_array(document, {"updates"})->size(), 1U);
}

}  // namespace
}  // namespace fairway::clusterversion::upgrade
