#include "graph/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_testing.hpp"

namespace fairway::graph {
namespace {

using testing::channel;
using testing::graph;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::release;
using testing::risk;

std::shared_ptr<const Graph> with(testing::Files blocks) {
  SourceFiles files = testing::tree(blocks);
  files.push_back({"channels/c-1.yaml", channel("c-1", {"4.6.1", "4.7.0", "4.7.1"})});
  return graph({release("4.6.1"), release("4.7.0", {"4.6.1"}), release("4.7.1", {"4.7.0"})},
               *read_graph_data(files).data);
}

const std::string kPromql = "- type: PromQL\n  promql:\n    promql: aws\n";

TEST(Simulate, SaysWhoLosesWhat) {
  const auto before = with({});
  const auto after = with({{"blocked-edges/4.7.0-A.yaml", risk("4.7.0", ".*", "A", kPromql)}});
  const std::vector<FleetMember> fleet{{"on-aws", "4.6.1", "c-1"},
                                       {"elsewhere", "4.6.1", "c-1"},
                                       {"mute", "4.6.1", "c-1"},
                                       {"newer", "4.7.0", "c-1"},
                                       {"lost", "4.5.0", "c-1"}};
  FleetJudge judge;
  judge.on_cluster = [](const FleetMember& member, std::string_view query) {
    EXPECT_EQ(query, "aws");
    return member.id == "on-aws"      ? RiskVerdict::Applies
           : member.id == "elsewhere" ? RiskVerdict::DoesNotApply
                                      : RiskVerdict::Unknown;
  };
  const auto result = simulate(*before, *after, fleet, judge);
  EXPECT_EQ(result.clusters, 5U);
  EXPECT_EQ(result.losing, 2U);
  EXPECT_EQ(result.unknown, 1U);
  EXPECT_EQ(result.stranded, 2U);
  EXPECT_EQ(result.skipped, 1U);
  ASSERT_EQ(result.impacts.size(), 3U);
  EXPECT_EQ(to_text(result),
            "5 clusters: 2 lose a recommended update, 0 gain one, for 1 one becomes unknown, 2 would be "
            "stranded, 1 not in the graph\n"
            "on-aws (4.6.1, c-1, amd64): STRANDED\n  4.7.0: not recommended, was recommended (A)\n"
            "mute (4.6.1, c-1, amd64): STRANDED\n  4.7.0: unknown, was recommended (A)\n"
            "lost (4.5.0, c-1, amd64): skipped, \"4.5.0\" is not in channel c-1\n");
  EXPECT_THAT(json::serialize(to_json(result)), HasSubstr(R"("after":"not recommended")"));
  const auto back = simulate(*after, *before, fleet, judge);
  EXPECT_EQ(back.gaining, 2U);
  EXPECT_EQ(back.stranded, 0U);
}

TEST(Simulate, TheServicesQueriesCountToo) {
  const auto before = with({});
  const auto after =
      with({{"blocked-edges/4.7.0.yaml", "to: 4.7.0\nfrom: .*\nclusters: {promql: managed}\n"}});
  const std::vector<FleetMember> fleet{{"a", "4.6.1", "c-1"}, {"b", "4.6.1", "c-1"}};
  EXPECT_THAT(simulate(*before, *after, fleet, {}).impacts, IsEmpty())
      << "a service without Prometheus enables these edges";
  FleetJudge judge;
  judge.by_service = [](const FleetMember& member, std::string_view) { return member.id == "a"; };
  const auto result = simulate(*before, *after, fleet, judge);
  ASSERT_EQ(result.impacts.size(), 1U);
  EXPECT_EQ(result.impacts.front().member.id, "b");
  EXPECT_EQ(result.impacts.front().changes.front().after, UpdateState::Absent);
}

TEST(Fleet, IsReadLineByLine) {
  const auto fleet = read_fleet(
      "{\"id\":\"a\",\"version\":\"4.6.1\",\"channel\":\"c-1\"}\n\n{\"id\":\"b\",\"version\":\"4.6.1\","
      "\"channel\":\"c-1\",\"arch\":\"arm64\",\"metrics\":\"b.prom\"}\n");
  ASSERT_TRUE(fleet);
  EXPECT_EQ(fleet->at(0).arch, "amd64");
  EXPECT_EQ(fleet->at(1).metrics, "b.prom");
  EXPECT_THAT(read_fleet("{}").error().describe(), HasSubstr("line 1"));
  EXPECT_FALSE(read_fleet("{\"id\":\"a\",\"version\":\"4.6.1\",\"channel\":\"c-1\",\"arch\":5}"));
}

}  // namespace
}  // namespace fairway::graph
