#include "apiserver/rbac_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PolicyRule rule(std::string_view text) {
  return PolicyRule::from(json::parse_yaml(text)->get_object());
}

struct MatchCase {
  std::string_view rule;
  AccessRequest request;
  bool allowed;
};

TEST(PolicyRule, MatchesAsInKubernetes) {
  const std::vector<MatchCase> cases{
      {"{verbs: [get], apiGroups: [''], resources: [pods]}", {.verb = "get", .resource = "pods"}, true},
      {"{verbs: [get], apiGroups: [''], resources: [pods]}", {.verb = "list", .resource = "pods"}, false},
      {"{verbs: [get], apiGroups: [''], resources: [pods]}",
       {.verb = "get", .group = "apps", .resource = "pods"},
       false},
      {"{verbs: [get], apiGroups: [''], resources: [pods]}",
       {.verb = "get", .resource = "pods", .subresource = "status"},
       false},
      {"{verbs: [get], apiGroups: [''], resources: [pods/status]}",
       {.verb = "get", .resource = "pods", .subresource = "status"},
       true},
      {"{verbs: [get], apiGroups: [''], resources: ['*/status']}",
       {.verb = "get", .resource = "pods", .subresource = "status"},
       true},
      {"{verbs: [get], apiGroups: [''], resources: ['*/status']}",
       {.verb = "get", .resource = "pods"},
       false},
      {"{verbs: [get], apiGroups: [''], resources: ['*/atus']}",
       {.verb = "get", .resource = "pods", .subresource = "status"},
       false},
      {"{verbs: ['*'], apiGroups: ['*'], resources: ['*']}",
       {.verb = "use", .group = "x", .resource = "y", .subresource = "z", .name = "n"},
       true},
      {"{verbs: ['*'], apiGroups: ['*'], resources: ['*']}", {.verb = "get", .path = "/metrics"}, false},
      {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a, b]}",
       {.verb = "get", .resource = "pods", .name = "b"},
       true},
      {"{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a]}",
       {.verb = "get", .resource = "pods"},
       false},
      {"{verbs: [get], nonResourceURLs: [/api/*]}", {.verb = "get", .path = "/api/v1"}, true},
      {"{verbs: [get], nonResourceURLs: [/api/*]}", {.verb = "get", .path = "/apis"}, false},
      {"{verbs: [get], nonResourceURLs: [/api/*]}", {.verb = "get", .path = "/api"}, false},
      {"{verbs: [get], nonResourceURLs: [/healthz]}", {.verb = "get", .path = "/healthz/ping"}, false},
      {"{verbs: [get], nonResourceURLs: ['*']}", {.verb = "get", .path = "/anything"}, true},
      {"{verbs: [get], nonResourceURLs: ['*']}", {.verb = "get", .resource = "pods"}, false},
      // A list that is not one of texts: the rule is not understood.
      {"{verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: a}",
       {.verb = "get", .resource = "pods"},
       false},
  };
  for (const MatchCase& each : cases) {
    EXPECT_EQ(rule(each.rule).allows(each.request), each.allowed) << each.rule << ' ' << each.request.verb;
  }
}

TEST(PolicyRule, IsDescribedAsKubernetesDoes) {
  EXPECT_EQ(rule("{verbs: [get, list], apiGroups: [''], resources: [pods], resourceNames: [a]}").describe(),
            R"({APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]})");
  EXPECT_EQ(rule("{verbs: [get], nonResourceURLs: [/x]}").describe(),
            R"({NonResourceURLs:["/x"], Verbs:["get"]})");
  EXPECT_EQ(PolicyRule::from(rule("{verbs: [get], apiGroups: [apps], resources: [x]}").to_json()),
            rule("{verbs: [get], apiGroups: [apps], resources: [x]}"));
}

std::vector<std::string> missing(const PolicyRules& held, const PolicyRules& wanted) {
  std::vector<std::string> texts;
  for (const PolicyRule& each : missing_rights(held, wanted)) texts.push_back(each.describe());
  return texts;
}

TEST(PolicyRule, MissingRightsAreFoundPieceByPiece) {
  const PolicyRule wanted =
      rule("{verbs: [get, list], apiGroups: ['', apps], resources: [pods, deployments]}");
  EXPECT_THAT(missing({rule("{verbs: ['*'], apiGroups: ['*'], resources: ['*']}")}, {wanted}), IsEmpty());
  // Two rules together hold what neither holds alone.
  EXPECT_THAT(missing({rule("{verbs: [get], apiGroups: ['*'], resources: ['*']}"),
                       rule("{verbs: [list], apiGroups: ['', apps], resources: [deployments, pods]}")},
                      {wanted}),
              IsEmpty());
  EXPECT_THAT(missing({rule("{verbs: [get], apiGroups: ['', apps], resources: ['*']}"),
                       rule("{verbs: [list], apiGroups: [''], resources: [pods, deployments]}")},
                      {wanted}),
              ElementsAre(R"({APIGroups:["apps"], Resources:["deployments"], Verbs:["list"]})",
                          R"({APIGroups:["apps"], Resources:["pods"], Verbs:["list"]})"));
  EXPECT_THAT(missing({}, {rule("{verbs: [get, list], apiGroups: [''], resources: [pods]}")}),
              ElementsAre(R"({APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]})"));
}

TEST(PolicyRule, NamesAndSubresourcesCountWhenRightsAreCompared) {
  const PolicyRule all_names = rule("{verbs: [get], apiGroups: [''], resources: [pods]}");
  const PolicyRule one_name = rule("{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a]}");
  EXPECT_THAT(missing({all_names}, {one_name}), IsEmpty());
  EXPECT_FALSE(missing({one_name}, {all_names}).empty());
  const PolicyRule statuses = rule("{verbs: [get], apiGroups: [''], resources: ['*/status']}");
  EXPECT_THAT(missing({statuses}, {rule("{verbs: [get], apiGroups: [''], resources: [pods/status]}")}),
              IsEmpty());
  EXPECT_FALSE(missing({statuses}, {all_names}).empty());
  EXPECT_THAT(missing({rule("{verbs: [get], nonResourceURLs: [/api/*]}")},
                      {rule("{verbs: [get], nonResourceURLs: [/api/v1]}")}),
              IsEmpty());
  EXPECT_FALSE(missing({rule("{verbs: [get], nonResourceURLs: [/api/v1]}")},
                       {rule("{verbs: [get], nonResourceURLs: [/api/*]}")})
                   .empty());
}

TEST(PolicyRule, AHugeRuleIsRefusedAsAWhole) {
  PolicyRule huge{.verbs = {}, .api_groups = {}, .resources = {}};
  for (int i = 0; i < 200; ++i) {
    huge.verbs.push_back("v" + std::to_string(i));
    huge.api_groups.push_back("g" + std::to_string(i));
    huge.resources.push_back("r" + std::to_string(i));
  }
  EXPECT_EQ(missing_rights({}, {huge}), PolicyRules{huge});
}

}  // namespace
}  // namespace fairway::apiserver
