#include "clusterversion/graph_answer.hpp"

#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

const GraphQuestion kQuestion{.version = "4.6.23", .channel = "stable-4.6"};

std::string failure_of(std::string_view body, const GraphQuestion& question = kQuestion) {
  const auto answer = read_graph_answer(body, question);
  return answer ? "none" : answer.error().reason + ": " + answer.error().message;
}

std::string invalid(std::string_view detail) {
  return "ResponseInvalid: Unable to retrieve available updates: " + std::string(detail);
}

constexpr std::string_view kTwoNodes =
    R"("nodes":[{"version":"4.6.23","payload":"r@sha256:23"},{"version":"4.6.43","payload":"r@sha256:43"}])";

std::string graph(std::string_view rest) {
  return "{" + std::string(kTwoNodes) + std::string(rest) + "}";
}

TEST(GraphAnswer, ReadsUpdatesAndIgnoresWhatItDoesNotKnow) {
  const auto answer = read_graph_answer(graph(R"(,"edges":[[0,1]],"version":7)"), kQuestion);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->updates.size(), 1U);
  EXPECT_EQ(answer->updates[0], (Release{.version = "4.6.43", .image = "r@sha256:43"}));
  EXPECT_TRUE(answer->conditional.empty());
}

TEST(GraphAnswer, Case3MultiIsAnUpdateToTheSameVersion) {
  const auto answer = read_graph_answer(
      graph(
          R"(,"edges":[[0,1]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.6.43"}],"risks":[]}])"),
      {.version = "4.6.23", .channel = "stable-4.6", .wants_multi = true});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->updates.size(), 1U);
  EXPECT_EQ(answer->updates[0].version, "4.6.23");
  EXPECT_TRUE(answer->conditional.empty());
}

TEST(GraphAnswer, Case11AVersionThatIsNotThere) {
  const std::string found =
      "VersionNotFound: Unable to retrieve available updates: currently reconciling cluster version 4.6.23 "
      "not found "
      "in the \"stable-4.6\" channel";
  EXPECT_EQ(failure_of(R"({"nodes":[{"version":"4.6.24","payload":"x"}]})"), found);
  EXPECT_EQ(failure_of("null"), found);
  EXPECT_EQ(failure_of("{}"), found);
}

TEST(GraphAnswer, Case12To16And18WhatIsInvalid) {
  EXPECT_EQ(failure_of("{"), invalid("unexpected end of JSON input"));
  EXPECT_EQ(failure_of(""), invalid("unexpected end of JSON input"));
  EXPECT_EQ(failure_of(graph(R"(,"edges":[[0,1,2]])")), invalid("expected 2 fields, found 3"));
  EXPECT_EQ(failure_of(graph(R"(,"edges":[[0,9]])")), invalid("edge [0,9] references a node outside 0..1"));
  EXPECT_EQ(failure_of(graph(R"(,"edges":[[0,-1]])")), invalid("edge [0,-1] references a node outside 0..1"));
  EXPECT_EQ(failure_of(graph(R"(,"edges":[[7,1]])")), "none");
  EXPECT_EQ(failure_of(R"({"nodes":[{"version":"4.6"}]})"), invalid("No Major.Minor.Patch elements found"));
  EXPECT_EQ(failure_of(R"({"nodes":[{"version":"4.06.1"}]})"),
            invalid("Minor number must not contain leading zeroes \"06\""));
  EXPECT_EQ(
      failure_of(graph(R"(,"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}],"risks":[]}])")),
      invalid("no node for conditional update 4.7.4"));
}

// Kinds that do not fit, in every place: an error that names the place, never a crash.
TEST(GraphAnswer, WrongKindsAreNamed) {
  EXPECT_EQ(failure_of("[]"), invalid("graph: expected an object, found an array"));
  EXPECT_EQ(failure_of(R"({"nodes":{}})"), invalid("nodes: expected an array, found an object"));
  EXPECT_EQ(failure_of(R"({"nodes":[5]})"), invalid("nodes[0]: expected an object, found an integer"));
  EXPECT_EQ(failure_of(graph(R"(,"edges":[["a",1]])")),
            invalid("edges[0]: expected two integers, found a string"));
  EXPECT_EQ(failure_of(graph(R"(,"conditionalEdges":[{"edges":[],"risks":[{"name":5}]}])")),
            invalid("conditionalEdges[0].risks[0].name: expected a string, found an integer"));
  EXPECT_EQ(failure_of(graph(R"(,"conditionalEdges":[{"edges":[],"risks":[{"matchingRules":["x"]}]}])")),
            invalid("conditionalEdges[0].risks[0].matchingRules[0]: expected an object, found a string"));
}

std::string with_metadata(std::string_view of_target, std::string_view of_other = "{}") {
  return R"({"nodes":[{"version":"4.6.23","payload":"a"},{"version":"4.6.43","payload":"b","metadata":)" +
         std::string(of_target) + R"(},{"version":"4.5.0","payload":"c","metadata":)" +
         std::string(of_other) + R"(}],"edges":[[0,1]]})";
}

TEST(GraphAnswer, Case17Channels) {
  constexpr std::string_view kKey = "io.openshift.upgrades.graph.release.channels";
  const auto channels = [&](std::string_view value) {
    return R"({")" + std::string(kKey) + R"(":")" + std::string(value) + R"("})";
  };
  const auto answer = read_graph_answer(with_metadata(channels("b,a")), kQuestion);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->updates[0].channels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(failure_of(with_metadata(channels("a,,b"))),
            invalid("invalid recommended update node: " + std::string(kKey) +
                    " entry 1 is an empty string: \"a,,b\""));
  EXPECT_EQ(failure_of(with_metadata(channels(""))),
            invalid("invalid recommended update node: " + std::string(kKey) + " is an empty string"));
  EXPECT_EQ(failure_of(with_metadata("{}", channels("a,,b"))), "none");
}

TEST(GraphAnswer, MetadataOfTargets) {
  const auto answer = read_graph_answer(
      with_metadata(R"({"url":"https://example.com/e","release.openshift.io/architecture":"multi"})"),
      kQuestion);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->updates[0].url, "https://example.com/e");
  EXPECT_EQ(answer->updates[0].architecture, "Multi");
  EXPECT_EQ(
      failure_of(with_metadata(R"({"release.openshift.io/architecture":"amd64"})")),
      invalid(
          "invalid recommended update node: unrecognized release.openshift.io/architecture value \"amd64\""));
  EXPECT_EQ(failure_of(with_metadata(R"({"url":5})")),
            invalid("invalid recommended update node: URL is not a string: 5"));
}

TEST(GraphAnswer, Case26KeysInAnyCase) {
  const auto answer = read_graph_answer(
      graph(R"(,"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.6.43"}],"risks":[{"url":"u","name":"N",
               "message":"m","matchingRules":[{"type":"PromQL","PromQL":{"PromQL":"q"}}]}]}])"),
      kQuestion);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->conditional.size(), 1U);
  const MatchingRule& rule = answer->conditional[0].risks[0].matching_rules[0];
  EXPECT_EQ(json::serialize(json::to_json(rule)), R"({"type":"PromQL","promql":{"promql":"q"}})");
}

TEST(GraphAnswer, RisksOfUpdatesToTheRunningReleaseAreKnown) {
  const auto answer = read_graph_answer(
      graph(R"(,"conditionalEdges":[{"edges":[{"from":"4.5.1","to":"4.6.23"},{"from":"4.5.2","to":"4.6.23"}],
               "risks":[{"url":"u","name":"N","message":"m","matchingRules":[{"type":"Always"}]}]}])"),
      kQuestion);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->conditional.empty());
  ASSERT_EQ(answer->known_risks.size(), 1U);
  EXPECT_EQ(answer->known_risks[0].name, "N");
}

TEST(GraphAnswer, BuildMetadataDoesNotHideTheCurrentNode) {
  const auto answer = read_graph_answer(R"({"nodes":[{"version":"4.6.23+x","payload":"a"}]})", kQuestion);
  EXPECT_TRUE(answer);
}

}  // namespace
}  // namespace fairway::clusterversion
