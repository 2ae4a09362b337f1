#include "graph/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using testing::channel;
using ::testing::Contains;
using testing::data;
using testing::edges;
using ::testing::ElementsAre;
using testing::graph;
using ::testing::HasSubstr;
using testing::ids;
using ::testing::IsEmpty;
using testing::release;
using testing::risk;
using testing::versions;
using testing::view;

const std::string kStable = channel("stable-4.7", {"4.6.1", "4.6.2", "4.7.0", "4.7.4"});

std::vector<Release> releases(const std::string& arch = "amd64") {
  return {release("4.6.1", {}, arch), release("4.6.2", {"4.6.1"}, arch),
          release("4.7.0", {"4.6.1", "4.6.2"}, arch), release("4.7.4", {"4.6.1", "4.6.2", "4.7.0"}, arch)};
}

std::vector<Release> both_architectures() {
  auto all = releases("amd64");
  for (Release& other : releases("arm64")) all.push_back(std::move(other));
  return all;
}

std::vector<std::string> edges_with(testing::Files blocks, const std::string& arch = "amd64",
                                    std::vector<Release> of = both_architectures()) {
  auto files = testing::tree(blocks);
  files.push_back({"channels/stable-4.7.yaml", kStable});
  auto reading = read_graph_data(files);
  EXPECT_TRUE(reading.data);
  return edges(view(*graph(std::move(of), *reading.data), "stable-4.7", arch));
}

const std::vector<std::string> kAllEdges{"4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.1->4.7.4",
                                         "4.6.2->4.7.0", "4.6.2->4.7.4", "4.7.0->4.7.4"};

TEST(BuildGraph, EdgesWithoutBlocksAreRecommended) {
  EXPECT_EQ(edges_with({}), kAllEdges);
}

TEST(BuildGraph, Case31_MissingNeighboursAreAbstractAndNotInViews) {
  const auto built = graph({release("4.7.0", {"0.0.0", "4.6.9"})},
                           data({{"channels/c-1.yaml", channel("c-1", {"4.7.0", "0.0.0"})}}));
  ASSERT_EQ(built->nodes().size(), 3U);
  EXPECT_EQ(built->node(0).text, "0.0.0+amd64");
  EXPECT_TRUE(built->node(0).is_abstract);
  EXPECT_FALSE(built->node(2).is_abstract);
  EXPECT_THAT(render_whole(*built, AllowedRules::all()), HasSubstr(R"({"version":"0.0.0+amd64"},)"));
  EXPECT_THAT(versions(view(*built, "c-1")), ElementsAre("4.7.0"));
}

TEST(BuildGraph, Case32_DuplicateNeighboursAreOneEdge) {
  auto first = release("4.6.1");
  first.next = {"4.7.0", "4.7.0"};
  EXPECT_THAT(edges_with({}, "amd64", {first, release("4.7.0", {"4.6.1", "4.6.1"})}),
              ElementsAre("4.6.1->4.7.0"));
}

TEST(BuildGraph, Case33_TheSameReleaseTwiceIsOneNode) {
  const std::vector<Release> twice{release("4.6.1", {}, "amd64", "aa"), release("4.6.1", {}, "amd64", "aa")};
  const auto build = build_graph(twice, data({}));
  ASSERT_TRUE(build);
  EXPECT_EQ(build->graph->nodes().size(), 1U);
  EXPECT_THAT(build->alerts, IsEmpty());
}

TEST(BuildGraph, Case34_TwoDigestsOfOneVersionLeaveItOutOrRefuse) {
  const std::vector<Release> conflict{release("4.6.1", {}, "amd64", "aa"),
                                      release("4.6.1", {}, "amd64", "bb"), release("4.6.2", {"4.6.1"})};
  const auto build = build_graph(conflict, data({}));
  ASSERT_TRUE(build);
  EXPECT_THAT(ids(build->alerts), ElementsAre("release-conflict"));
  ASSERT_EQ(build->graph->nodes().size(), 2U);
  EXPECT_TRUE(build->graph->node(0).is_abstract) << "neither digest is offered";
  const auto strict = build_graph(conflict, data({}), {.exclude_conflicts = false});
  ASSERT_FALSE(strict);
  EXPECT_THAT(strict.error().message, HasSubstr("4.6.1+amd64"));
}

TEST(BuildGraph, Case35_TheEdgeThatClosesACycleIsRejected) {
  auto low = release("4.6.1", {"4.6.2"});
  const std::vector<Release> cycle{low, release("4.6.2", {"4.6.1"}), release("4.6.3", {"4.6.3", "4.6.2"})};
  const auto build =
      build_graph(cycle, data({{"channels/c-1.yaml", channel("c-1", {"4.6.1", "4.6.2", "4.6.3"})}}));
  ASSERT_TRUE(build);
  EXPECT_THAT(ids(build->alerts), ElementsAre("graph-cycle", "graph-cycle"));
  EXPECT_THAT(edges(view(*build->graph, "c-1")), ElementsAre("4.6.1->4.6.2", "4.6.2->4.6.3"));
  EXPECT_FALSE(build_graph(cycle, data({}), {.exclude_conflicts = false}));
}

TEST(BuildGraph, AnEdgeDownThatClosesNoCycleStays) {
  EXPECT_THAT(edges_with({}, "amd64", {release("4.6.1", {"4.6.2"}), release("4.6.2")}),
              ElementsAre("4.6.2->4.6.1"));
}

TEST(BuildGraph, Case47_NoEdgeCrossesArchitectures) {
  const auto built = graph(both_architectures(), data({}));
  for (NodeId from = 0; from < built->nodes().size(); ++from) {
    for (const Edge& edge : built->edges_from(from))
      EXPECT_EQ(built->node(from).arch, built->node(edge.to).arch);
  }
  EXPECT_EQ(built->edge_count(), 12U);
}

TEST(BuildGraph, Case52_ChannelsAreListedBySuffixThenName) {
  const auto built =
      graph({release("4.9.0")}, data({{"channels/a.yaml", channel("stable-4.9", {"4.9.0"})},
                                      {"channels/b.yaml", channel("candidate-4.9", {"4.9.0"})},
                                      {"channels/c.yaml", channel("candidate-4.10", {"4.9.0"})}}));
  EXPECT_EQ(built->node(0).metadata.at(std::string(key::kChannels)),
            "candidate-4.10,candidate-4.9,stable-4.9");
}

TEST(BuildGraph, Case53_AVersionWithAnArchitectureJoinsForThatAlone) {
  const auto built = graph({release("4.2.14"), release("4.2.14", {}, "arm64")},
                           data({{"channels/c-1.yaml", channel("c-1", {"4.2.14+amd64"})}}));
  EXPECT_THAT(versions(view(*built, "c-1", "amd64")), ElementsAre("4.2.14"));
  EXPECT_THAT(versions(view(*built, "c-1", "arm64")), IsEmpty());
}

TEST(BuildGraph, Case54_ChannelNamesWithoutADashAreFine) {
  const auto built = graph({release("4.9.0")}, data({{"channels/a.yaml", channel("stable", {"4.9.0"})},
                                                     {"channels/b.yaml", channel("fast", {"4.9.0"})},
                                                     {"channels/c.yaml", channel("fast", {"4.9.0"})}}));
  EXPECT_EQ(built->node(0).metadata.at(std::string(key::kChannels)), "fast,stable")
      << "two files of one name list it once";
}

TEST(BuildGraph, InternalChannelsAreNotServed) {
  const auto built =
      graph({release("4.9.0")}, data({{"internal-channels/fast.yaml", channel("fast", {"4.9.0"})}}));
  EXPECT_FALSE(built->find_channel("fast"));
  EXPECT_FALSE(built->node(0).metadata.contains(key::kChannels));
}

TEST(BuildGraph, Case56_ABlockForEveryoneRemovesTheEdges) {
  EXPECT_THAT(edges_with({{"blocked-edges/4.7.4.yaml", "to: 4.7.4\nfrom: .*\n"}}),
              ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0"));
}

TEST(BuildGraph, Case57_LegacyS390xVersionsAreMeantForS390x) {
  const std::vector<Release> of{release("4.2.10-s390x", {}, "s390x"),
                                release("4.2.11-s390x", {"4.2.10-s390x"}, "s390x"), release("4.2.10-s390x"),
                                release("4.2.11-s390x", {"4.2.10-s390x"})};
  const auto built =
      graph(of, data({{"blocked-edges/4.2.11-s390x.yaml", "to: 4.2.11-s390x\nfrom: .*\n"},
                      {"channels/c-1.yaml", channel("c-1", {"4.2.10-s390x", "4.2.11-s390x"})}}));
  EXPECT_THAT(edges(view(*built, "c-1", "s390x")), IsEmpty());
  EXPECT_THAT(edges(view(*built, "c-1", "amd64")), ElementsAre("4.2.10-s390x->4.2.11-s390x"));
}

TEST(BuildGraph, Case58_ABlockWithAnArchitectureIsForThatAlone) {
  const testing::Files blocks{{"blocked-edges/4.7.4+arm64.yaml", "to: 4.7.4+arm64\nfrom: .*\n"}};
  EXPECT_EQ(edges_with(blocks, "amd64"), kAllEdges);
  EXPECT_THAT(edges_with(blocks, "arm64"), ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0"));
}

TEST(BuildGraph, Case59And60_PatternsSearchTheVersionWithItsArchitecture) {
  EXPECT_THAT(edges_with({{"blocked-edges/4.7.4-A.yaml", risk("4.7.4", "6[.]1", "A")}}),
              Contains("4.6.1-(A)->4.7.4"));
  EXPECT_THAT(edges_with({{"blocked-edges/4.7.4-A.yaml", risk("4.7.4", "^4[.]6[.][0-1][+].*$", "A")}}),
              Contains("4.6.1-(A)->4.7.4"));
  EXPECT_THAT(edges_with({{"blocked-edges/4.7.4-A.yaml", risk("4.7.4", "^4[.]6[.][0-1][+].*$", "A")}}),
              Contains("4.6.2->4.7.4"));
  EXPECT_THAT(edges_with({{"blocked-edges/4.7.4-A.yaml", risk("4.7.4", "'[+]arm64$'", "A")}}, "amd64"),
              Contains("4.6.1->4.7.4"));
  EXPECT_THAT(edges_with({{"blocked-edges/4.7.4-A.yaml", risk("4.7.4", "'[+]arm64$'", "A")}}, "arm64"),
              Contains("4.6.1-(A)->4.7.4"));
}

TEST(BuildGraph, Case61_RisksStandInTheOrderOfTheirFiles) {
  const testing::Files blocks{{"blocked-edges/4.7.4-b.yaml", risk("4.7.4", "4[.]6[.].*", "Second")},
                              {"blocked-edges/4.7.4-a.yaml", risk("4.7.4", ".*", "First")}};
  EXPECT_THAT(edges_with(blocks),
              ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.1-(First, Second)->4.7.4", "4.6.2->4.7.0",
                          "4.6.2-(First, Second)->4.7.4", "4.7.0-(First)->4.7.4"));
}

TEST(BuildGraph, Case67_ABlockForEveryoneWinsOverARisk) {
  const auto found = edges_with({{"blocked-edges/4.7.4-a.yaml", risk("4.7.4", ".*", "A")},
                                 {"blocked-edges/4.7.4.yaml", "to: 4.7.4\nfrom: 4[.]6[.]1\n"}});
  EXPECT_THAT(found, ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0", "4.6.2-(A)->4.7.4",
                                 "4.7.0-(A)->4.7.4"));
}

TEST(BuildGraph, Case68_TwoBlocksForEveryoneAreJoined) {
  const auto found = edges_with({{"blocked-edges/4.7.4-x.yaml", "to: 4.7.4\nfrom: 4[.]6[.]1\n"},
                                 {"blocked-edges/4.7.4.yaml", "to: 4.7.4\nfrom: 4[.]7[.]0\n"}});
  EXPECT_THAT(found, ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0", "4.6.2->4.7.4"));
}

TEST(BuildGraph, Case69_ARiskWithAnArchitectureIsForThatAlone) {
  const testing::Files blocks{{"blocked-edges/4.7.4-a.yaml", risk("4.7.4+arm64", ".*", "A")}};
  EXPECT_EQ(edges_with(blocks, "amd64"), kAllEdges);
  EXPECT_THAT(edges_with(blocks, "arm64"), Contains("4.6.1-(A)->4.7.4"));
}

TEST(BuildGraph, Case74_RawMetadataAddsEdgesOnEveryArchitecture) {
  const std::vector<Release> of{release("4.1.0-rc.4"), release("4.1.0-rc.9"), release("4.1.0"),
                                release("4.1.0-rc.4", {}, "arm64"), release("4.1.0", {}, "arm64")};
  const auto build = build_graph(
      of, data({{"raw/metadata.json",
                 R"({"4.1.0":{"io.openshift.upgrades.graph.previous.add":"4.1.0-rc.4, 4.1.0-rc.9"}})"},
                {"channels/c-1.yaml", channel("c-1", {"4.1.0-rc.4", "4.1.0-rc.9", "4.1.0"})}}));
  ASSERT_TRUE(build);
  EXPECT_THAT(edges(view(*build->graph, "c-1", "amd64")),
              ElementsAre("4.1.0-rc.4->4.1.0", "4.1.0-rc.9->4.1.0"));
  EXPECT_THAT(edges(view(*build->graph, "c-1", "arm64")), ElementsAre("4.1.0-rc.4->4.1.0"));
  EXPECT_THAT(ids(build->alerts), ElementsAre("metadata-unknown-version"));
}

TEST(BuildGraph, MetadataRemovesEdges) {
  const auto with = [](const char* key, const char* value) {
    const std::string raw = R"({"4.7.4":{"io.openshift.upgrades.graph.)" + std::string(key) + R"(":")" +
                            value + R"("},"4.6.1":{}})";
    return edges_with({{"raw/metadata.json", raw}});
  };
  EXPECT_THAT(with("previous.remove", "*"), ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0"));
  EXPECT_THAT(with("previous.remove", "4.6.1, 4.7.0"),
              ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0", "4.6.2->4.7.4"));
  EXPECT_THAT(with("previous.remove_regex", "4[.]6[.].*"),
              ElementsAre("4.6.1->4.6.2", "4.6.1->4.7.0", "4.6.2->4.7.0", "4.7.0->4.7.4"));
  EXPECT_EQ(with("previous.remove", "9.9.9"), kAllEdges) << "what is not there needs no removing";
  const auto next = edges_with(
      {{"raw/metadata.json",
        R"({"4.6.1":{"io.openshift.upgrades.graph.next.remove":"*"},"4.6.2":{"io.openshift.upgrades.graph.next.remove":"4.7.4"}})"}});
  EXPECT_THAT(next, ElementsAre("4.6.2->4.7.0", "4.7.0->4.7.4"));
}

TEST(BuildGraph, MetadataThatIsNotUnderstoodRefuses) {
  for (const char* value : {R"("previous.add":"x")", R"("previous.remove":"x")", R"("next.remove":"x")",
                            R"("previous.remove_regex":"(")"}) {
    std::string raw = R"({"4.7.4":{)" + std::string(value) + "}}";
    raw.replace(raw.find("\"previous") == std::string::npos ? raw.find("\"next") : raw.find("\"previous"), 1,
                "\"io.openshift.upgrades.graph.");
    EXPECT_FALSE(build_graph(releases(), data({{"raw/metadata.json", raw}}))) << value;
  }
}

TEST(BuildGraph, RemovedReleasesAreDroppedWhenAsked) {
  auto removed = release("4.6.1");
  removed.metadata[std::string(key::kRemove)] = "true";
  EXPECT_EQ(build_graph(std::vector{removed}, data({}))->graph->nodes().size(), 1U);
  EXPECT_EQ(build_graph(std::vector{removed}, data({}), {.drop_removed = true})->graph->nodes().size(), 0U);
}

TEST(BuildGraph, NothingIsAGraphToo) {
  const auto built = graph({}, data({{"channels/c-1.yaml", channel("c-1", {"4.6.1"})}}));
  EXPECT_TRUE(built->nodes().empty());
  EXPECT_FALSE(built->find_architecture("amd64"));
  EXPECT_EQ(render_whole(*built, AllowedRules::all()), R"({"nodes":[],"edges":[],"conditionalEdges":[]})");
}

}  // namespace
}  // namespace fairway::graph
