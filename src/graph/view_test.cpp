#include "graph/view.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "graph/generate.hpp"
#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using testing::channel;
using testing::data;
using testing::edges;
using ::testing::ElementsAre;
using testing::graph;
using ::testing::IsEmpty;
using testing::release;
using testing::risk;
using testing::view;

std::string render(const Graph& graph, std::string_view channel, std::string_view arch = "amd64",
                   const AllowedRules& allowed = AllowedRules::all()) {
  return ViewRenderer(graph, allowed).render(*graph.find_channel(channel), *graph.find_architecture(arch));
}

TEST(View, TheAnswersBytes) {
  auto first = release("4.6.23", {}, "amd64", "aa");
  first.metadata["url"] = "https://e.example.com/1";
  const auto built =
      graph({release("4.7.5", {"4.6.23", "4.7.4"}, "amd64", "cc"),
             release("4.7.4", {"4.6.23"}, "amd64", "bb"), first},
            data({{"channels/stable-4.7.yaml", channel("stable-4.7", {"4.7.4", "4.6.23", "4.7.5"})},
                  {"blocked-edges/4.7.4-B.yaml",
                   risk("4.7.4", "4[.]6[.].*", "B",
                        "- type: PromQL\n  promql:\n    promql: up\n- type: Always\n")}}));
  EXPECT_EQ(
      render(*built, "stable-4.7"),
      R"({"version":1,"nodes":[)"
      R"({"version":"4.6.23","payload":"registry.example.com/release@sha256:aa","metadata":{"io.openshift.upgrades.graph.release.channels":"stable-4.7","io.openshift.upgrades.graph.release.manifestref":"sha256:aa","url":"https://e.example.com/1"}},)"
      R"({"version":"4.7.4","payload":"registry.example.com/release@sha256:bb","metadata":{"io.openshift.upgrades.graph.release.channels":"stable-4.7","io.openshift.upgrades.graph.release.manifestref":"sha256:bb"}},)"
      R"({"version":"4.7.5","payload":"registry.example.com/release@sha256:cc","metadata":{"io.openshift.upgrades.graph.release.channels":"stable-4.7","io.openshift.upgrades.graph.release.manifestref":"sha256:cc"}}],)"
      R"("edges":[[0,2],[1,2]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}],"risks":[)"
      R"({"url":"https://example.com/B","name":"B","message":"It may hurt.","matchingRules":[{"type":"PromQL","promql":{"promql":"up"}},{"type":"Always"}]}]}]})");
}

TEST(View, Case61_OneGroupForEqualRiskListsWhateverTheTarget) {
  const auto built =
      graph({release("4.6.1"), release("4.7.0", {"4.6.1"}), release("4.7.1", {"4.6.1", "4.7.0"})},
            data({{"channels/c-1.yaml", channel("c-1", {"4.6.1", "4.7.0", "4.7.1"})},
                  {"blocked-edges/4.7.0-A.yaml", risk("4.7.0", ".*", "A")},
                  {"blocked-edges/4.7.1-A.yaml", risk("4.7.1", ".*", "A")},
                  {"blocked-edges/4.7.1-B.yaml", risk("4.7.1", "4[.]7[.].*", "B")}}));
  const auto document = view(*built, "c-1");
  EXPECT_EQ(document.risk_lists.size(), 2U);
  EXPECT_THAT(edges(document), ElementsAre("4.6.1-(A)->4.7.0", "4.6.1-(A)->4.7.1", "4.7.0-(A, B)->4.7.1"));
}

TEST(View, TheSameRiskFromTwoFilesStandsOnce) {
  const auto built = graph({release("4.6.1"), release("4.7.0", {"4.6.1"})},
                           data({{"channels/c-1.yaml", channel("c-1", {"4.6.1", "4.7.0"})},
                                 {"blocked-edges/4.7.0-A.yaml", risk("4.7.0", ".*", "A")},
                                 {"blocked-edges/4.7.0-A2.yaml", risk("4.7.0", "4[.]6.*", "A")}}));
  EXPECT_THAT(edges(view(*built, "c-1")), ElementsAre("4.6.1-(A)->4.7.0"));
}

TEST(View, Case14_16_70_WhatDoesNotExistIsEmpty) {
  const auto built = graph({release("4.6.1")}, data({{"channels/c-1.yaml", channel("c-1", {"4.6.1"})}}));
  EXPECT_FALSE(built->find_architecture("64")) << "an architecture is a name, not a part of one";
  EXPECT_FALSE(built->find_channel("c-2"));
  const auto document = read_document(empty_view());
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->nodes.empty());
}

// Seed 000.
class Targeted : public ::testing::Test {
 protected:
  std::shared_ptr<const Graph> built_ = graph(
      {release("4.6.1"), release("4.7.0", {"4.6.1"}), release("4.7.1", {"4.6.1"}),
       release("4.7.2", {"4.6.1"})},
      data({{"channels/c-1.yaml", channel("c-1", {"4.6.1", "4.7.0", "4.7.1", "4.7.2"})},
            {"channels/c-2.yaml", channel("c-2", {"4.6.1", "4.7.0"})},
            {"blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: .*\nclusters:\n  promql: a\n"},
            {"blocked-edges/4.7.1-Shown.yaml",
             "to: 4.7.1\nfrom: .*\nurl: https://example.com\nname: Shown\nmessage: Why.\nclusters:\n  "
             "promql: b\n"},
            {"blocked-edges/4.7.2-Both.yaml", risk("4.7.2", ".*", "Both") + "clusters:\n  promql: a\n"}}));
};

TEST_F(Targeted, RulesAreDistinctQueriesWithTheirFiles) {
  ASSERT_EQ(built_->targeted_rules().size(), 2U);
  EXPECT_EQ(built_->targeted_rules()[0].query, "a");
  EXPECT_THAT(built_->targeted_rules()[0].files,
              ElementsAre("blocked-edges/4.7.0.yaml", "blocked-edges/4.7.2-Both.yaml"));
  EXPECT_THAT(rules_in_view(*built_, *built_->find_channel("c-1"), 0), ElementsAre(0, 1));
  EXPECT_THAT(rules_in_view(*built_, *built_->find_channel("c-2"), 0), ElementsAre(0));
}

TEST_F(Targeted, Case75_WhatIsAllowedGoesOnToTheClustersRules) {
  EXPECT_THAT(edges(view(*built_, "c-1", "amd64", AllowedRules::only({0}))),
              ElementsAre("4.6.1->4.7.0", "4.6.1-(Shown)->4.7.1", "4.6.1-(Both)->4.7.2"));
  EXPECT_THAT(edges(view(*built_, "c-1", "amd64", AllowedRules::only({1}))),
              ElementsAre("4.6.1->4.7.1", "4.6.1-(Both)->4.7.2"));
}

TEST_F(Targeted, Case76_WithoutAnIdNothingIsAllowed) {
  const auto document = view(*built_, "c-1", "amd64", AllowedRules::none());
  EXPECT_THAT(edges(document), ElementsAre("4.6.1-(Shown)->4.7.1", "4.6.1-(Both)->4.7.2"));
  for (const Risk& shown : document.risks)
    EXPECT_EQ(shown.rules, std::vector{always_rule()}) << "the reason is visible, and holds for this client";
}

TEST_F(Targeted, Case78_SwitchedOffEverythingIsEnabled) {
  EXPECT_THAT(edges(view(*built_, "c-1")),
              ElementsAre("4.6.1->4.7.0", "4.6.1->4.7.1", "4.6.1-(Both)->4.7.2"));
}

// Case 62, and the order of everything.
void check_invariants(const Document& document) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 1; i < document.nodes.size(); ++i)
    ASSERT_LT(document.nodes[i - 1].version, document.nodes[i].version);
  for (const Document::Edge& edge : document.edges) {
    ASSERT_LT(edge.from, document.nodes.size());
    ASSERT_LT(edge.to, document.nodes.size());
    ASSERT_TRUE(seen.emplace(edge.from, edge.to).second) << "an edge stands in one list, once";
    if (edge.is_conditional()) ASSERT_FALSE(document.risk_lists[edge.risks].empty());
  }
  ASSERT_TRUE(std::ranges::is_sorted(document.edges, {},
                                     [](const Document::Edge& e) { return std::pair(e.from, e.to); }));
  const std::set<std::vector<std::uint32_t>> lists(document.risk_lists.begin(), document.risk_lists.end());
  ASSERT_EQ(lists.size(), document.risk_lists.size()) << "equal lists of risks are one group";
}

class GeneratedGraphs : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(GeneratedGraphs, AreTheSameInWhateverOrderTheirPartsCome) {
  GeneratedTree made = generate_tree({.seed = GetParam(),
                                      .minors = 3,
                                      .patches = 6,
                                      .risks = 12,
                                      .targeted = 3,
                                      .architectures = {"amd64", "arm64", "s390x"}});
  const auto first = read_graph_data(made.files);
  ASSERT_TRUE(first.data) << to_text(first.findings.front());
  const auto one = build_graph(made.releases, *first.data);
  ASSERT_TRUE(one);
  std::mt19937_64 random(GetParam() + 7);
  std::ranges::shuffle(made.files, random);
  std::ranges::shuffle(made.releases, random);
  for (Release& shuffled : made.releases) std::ranges::shuffle(shuffled.previous, random);
  const auto second = read_graph_data(made.files);
  const auto two = build_graph(made.releases, *second.data);
  ASSERT_TRUE(two);
  EXPECT_EQ(render_whole(*one->graph, AllowedRules::none()), render_whole(*two->graph, AllowedRules::none()));

  for (const auto& allowed : {AllowedRules::all(), AllowedRules::none(), AllowedRules::only({1})}) {
    ViewRenderer renderer(*one->graph, allowed);
    const Outcomes outcomes(*one->graph, allowed);
    for (ChannelId channel = 0; channel < one->graph->channels().size(); ++channel) {
      for (ArchId arch = 0; arch < one->graph->architectures().size(); ++arch) {
        const std::string body = renderer.render(channel, arch);
        EXPECT_EQ(body, ViewRenderer(*two->graph, allowed).render(channel, arch)) << "byte-stable";
        const Document document = document_of(*one->graph, channel, arch, outcomes);
        EXPECT_EQ(to_json(document), body);
        check_invariants(document);
        const auto again = read_document(body);
        ASSERT_TRUE(again) << again.error().describe();
        EXPECT_EQ(to_json(*again), body);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedGraphs, ::testing::Range<std::uint64_t>(1, 13));

TEST(GeneratedTree, IsTheSameForTheSameSeed) {
  const auto one = generate_tree({.seed = 5});
  const auto two = generate_tree({.seed = 5});
  EXPECT_EQ(to_jsonl(one.releases), to_jsonl(two.releases));
  ASSERT_EQ(one.files.size(), two.files.size());
  for (std::size_t i = 0; i < one.files.size(); ++i) EXPECT_EQ(one.files[i].text, two.files[i].text);
  EXPECT_NE(one.files.size(), generate_tree({.seed = 6, .risks = 30}).files.size());
}

}  // namespace
}  // namespace fairway::graph
