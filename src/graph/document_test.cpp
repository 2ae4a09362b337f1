#include "graph/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using testing::edges;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::versions;

constexpr std::string_view kRisk =
    R"({"url":"u","name":"A","message":"m","matchingRules":[{"type":"Always"}]})";
constexpr std::string_view kOther =
    R"({"url":"u","name":"B","message":"m","matchingRules":[{"type":"Odd","odd":{"n":1}}]})";

std::string graph_json(std::string_view edges, std::string_view groups) {
  return R"({"nodes":[{"version":"4.7.0","payload":"p","metadata":{"k":"v"}},{"version":"4.6.0","payload":"p"},{"version":"4.5.0"}],"edges":)" +
         std::string(edges) + R"(,"conditionalEdges":)" + std::string(groups) + "}";
}

TEST(Document, ReadsAndNormalises) {
  const auto document = read_document(graph_json(
      "[[1,0],[2,1]]",
      "[{\"edges\":[{\"from\":\"4.5.0\",\"to\":\"4.7.0\"}],\"risks\":[" + std::string(kOther) + "]}]"));
  ASSERT_TRUE(document) << document.error().describe();
  EXPECT_THAT(versions(*document), ElementsAre("4.5.0", "4.6.0", "4.7.0"));
  EXPECT_TRUE(document->nodes[0].is_abstract);
  EXPECT_THAT(edges(*document), ElementsAre("4.5.0->4.6.0", "4.5.0-(B)->4.7.0", "4.6.0->4.7.0"));
  EXPECT_EQ(json::serialize(to_json(document->risks[0])), kOther) << "unknown rule types pass verbatim";
}

TEST(Document, ConditionalWinsAndGroupsOfOneEdgeAreJoined) {
  const std::string edge = R"({"edges":[{"from":"4.6.0","to":"4.7.0"}],"risks":[)";
  const auto document = read_document(
      graph_json("[[1,0]]", "[" + edge + std::string(kRisk) + "]}," + edge + std::string(kOther) + "]}]"));
  ASSERT_TRUE(document);
  EXPECT_THAT(edges(*document), ElementsAre("4.6.0-(A, B)->4.7.0"));
}

TEST(Document, ConditionalEdgesOfUnknownVersionsAreLeftOut) {
  const auto document = read_document(graph_json(
      "[]", "[{\"edges\":[{\"from\":\"4.6.0\",\"to\":\"9.9.9\"}],\"risks\":[" + std::string(kRisk) + "]}]"));
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->edges.empty());
}

TEST(Document, AnAnswerCanBeReadBack) {
  EXPECT_TRUE(read_document(R"({"version":1,"nodes":[],"edges":[],"conditionalEdges":[]})"));
  EXPECT_TRUE(read_document(R"({"nodes":[],"edges":[]})"));
}

struct Wrong {
  const char* name;
  const char* text;
  const char* message;
};

class WrongDocuments : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongDocuments, AreRefusedWithAReason) {
  const auto document = read_document(GetParam().text);
  ASSERT_FALSE(document);
  EXPECT_THAT(document.error().describe(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongDocuments,
    ::testing::Values(
        Wrong{"NotJson", "[", "line 1"}, Wrong{"NoNodes", R"({"edges":[]})", "\"nodes\""},
        Wrong{"UnknownKey", R"({"nodes":[],"edges":[],"conditionaledges":[]})",
              "did you mean \"conditionalEdges\""},
        Wrong{"KeyTwice", R"({"nodes":[],"nodes":[],"edges":[]})", "nodes"},
        Wrong{"EmptyVersion", R"({"nodes":[{"version":""}],"edges":[]})", "nodes[0]"},
        Wrong{"VersionTwice", R"({"nodes":[{"version":"4.1.0"},{"version":"4.1.0"}],"edges":[]})", "twice"},
        Wrong{"NotSemVer", R"({"nodes":[{"version":"4.1"}],"edges":[]})", "4.1"},
        Wrong{"BadIndex", R"({"nodes":[{"version":"4.1.0"}],"edges":[[0,1]]})", "edges[0]"},
        Wrong{"NegativeIndex", R"({"nodes":[{"version":"4.1.0"}],"edges":[[0,-1]]})", "edges[0]"},
        Wrong{"NotAPair", R"({"nodes":[{"version":"4.1.0"}],"edges":[[0]]})", "edges[0]"},
        Wrong{"Cycle", R"({"nodes":[{"version":"4.1.0"},{"version":"4.2.0"}],"edges":[[0,1],[1,0]]})",
              "cycle"},
        Wrong{"SelfEdge", R"({"nodes":[{"version":"4.1.0"}],"edges":[[0,0]]})", "cycle"},
        Wrong{"RiskWithoutName",
              R"({"nodes":[],"edges":[],"conditionalEdges":[{"edges":[],"risks":[{"url":"u"}]}]})",
              "conditionalEdges[0]"},
        Wrong{"NoRisks", R"({"nodes":[],"edges":[],"conditionalEdges":[{"edges":[],"risks":[]}]})",
              "at least one"}),
    [](const auto& info) { return info.param.name; });

TEST(Document, ALongChainIsNoTrouble) {
  std::string nodes;
  std::string chain;
  for (int i = 0; i < 20'000; ++i) {
    nodes += (i == 0 ? "" : ",") + (R"({"version":"4.1.)" + std::to_string(i)) + "\"}";
    if (i > 0) chain += (i == 1 ? "[" : ",[") + std::to_string(i - 1) + "," + std::to_string(i) + "]";
  }
  EXPECT_TRUE(read_document(R"({"nodes":[)" + nodes + R"(],"edges":[)" + chain + "]}"));
}

}  // namespace
}  // namespace fairway::graph
