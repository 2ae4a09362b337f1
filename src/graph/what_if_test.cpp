#include "graph/what_if.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kServed = R"({"version":1,
  "nodes":[{"version":"4.6.22","payload":"p1"},{"version":"4.6.23","payload":"p2"},{"version":"4.7.4","payload":"p3"},
           {"version":"4.7.5","payload":"p4"}],
  "edges":[[0,1],[1,3]],
  "conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}],
    "risks":[{"url":"https://example.com/old","name":"Old","message":"m","matchingRules":[{"type":"PromQL","promql":{"promql":"old"}}]}]}]})";

std::string block(std::string_view to, std::string_view rules) {
  return "to: " + std::string(to) +
         "\nfrom: 4[.]6[.].*\nurl: https://example.com/new\nname: New\nmessage: it breaks\n" +
         std::string(rules);
}

constexpr const char* kAlways = "matchingRules:\n- type: Always\n";
constexpr const char* kPromql = "matchingRules:\n- type: PromQL\n  promql:\n    promql: new\n";

LoneBlock lone(std::string_view yaml) {
  auto read = read_lone_block(yaml);
  EXPECT_TRUE(read) << (read ? "" : read.error().describe());
  return *std::move(read);
}

// "old" and "new" as they are named; everything else cannot be told.
QueryJudge judge(RiskVerdict old_risk, RiskVerdict new_risk) {
  return [=](std::string_view query) {
    return query == "old" ? old_risk : query == "new" ? new_risk : RiskVerdict::Unknown;
  };
}

std::vector<std::string> described(const std::vector<UpdateChange>& changes) {
  std::vector<std::string> texts;
  for (const UpdateChange& each : changes)
    texts.push_back(each.to + ": " + std::string(to_string(each.before)) + " to " +
                    std::string(to_string(each.after)));
  return texts;
}

class WhatIf : public ::testing::Test {
 protected:
  std::vector<std::string> ask(std::string_view version, std::string_view yaml, RiskVerdict old_risk,
                               RiskVerdict new_risk, std::string_view arch = "amd64") const {
    return described(what_if(*served_, version, arch, lone(yaml), judge(old_risk, new_risk)));
  }
  Result<Document> served_ = read_document(kServed);
};

constexpr auto kYes = RiskVerdict::Applies;
constexpr auto kNo = RiskVerdict::DoesNotApply;
constexpr auto kOpen = RiskVerdict::Unknown;

TEST_F(WhatIf, AnUnconditionalBlockTakesTheUpdateAway) {
  EXPECT_THAT(ask("4.6.23", "to: 4.7.5\nfrom: .*\n", kNo, kNo), ElementsAre("4.7.5: recommended to absent"));
}

TEST_F(WhatIf, AConditionalBlockCountsWhereItsQuerySaysSo) {
  EXPECT_THAT(ask("4.6.23", block("4.7.5", kPromql), kNo, kYes),
              ElementsAre("4.7.5: recommended to not recommended"));
  EXPECT_THAT(ask("4.6.23", block("4.7.5", kPromql), kNo, kNo), IsEmpty());
  EXPECT_THAT(ask("4.6.23", block("4.7.5", kPromql), kNo, kOpen),
              ElementsAre("4.7.5: recommended to unknown"));
  EXPECT_THAT(ask("4.6.23", block("4.7.5", kAlways), kNo, kNo),
              ElementsAre("4.7.5: recommended to not recommended"));
}

TEST_F(WhatIf, RisksThatAreThereAlreadyCountBeforeAndAfter) {
  EXPECT_THAT(ask("4.6.23", block("4.7.4", kPromql), kNo, kYes),
              ElementsAre("4.7.4: recommended to not recommended"));
  EXPECT_THAT(ask("4.6.23", block("4.7.4", kPromql), kYes, kYes), IsEmpty());
  EXPECT_THAT(ask("4.6.23", block("4.7.4", kPromql), kOpen, kYes),
              ElementsAre("4.7.4: unknown to not recommended"));
}

TEST_F(WhatIf, OthersAreLeftAlone) {
  EXPECT_THAT(ask("4.6.22", block("4.7.5", kAlways), kYes, kYes), IsEmpty()) << "there is no such edge";
  EXPECT_THAT(ask("4.7.4", block("4.7.5", kAlways), kYes, kYes), IsEmpty()) << "from does not match";
  EXPECT_THAT(ask("4.9.9", block("4.7.5", kAlways), kYes, kYes), IsEmpty()) << "the graph does not have it";
  EXPECT_THAT(ask("4.6.23", "to: 4.7.5+s390x\nfrom: .*\n", kYes, kYes), IsEmpty());
  EXPECT_THAT(ask("4.6.23", "to: 4.7.5\nfrom: .*[+]s390x\n", kYes, kYes), IsEmpty());
}

TEST_F(WhatIf, WhatTheServiceDecidesByIdCannotBeToldHere) {
  const std::string yaml = block("4.7.5", "clusters:\n  promql: anything\n");
  EXPECT_THAT(ask("4.6.23", yaml, kNo, kNo), ElementsAre("4.7.5: recommended to unknown"));
}

TEST_F(WhatIf, ABlockThatCannotBeReadIsRefusedWithThePlace) {
  const auto read = read_lone_block("from: .*\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::Invalid);
  EXPECT_THAT(read.error().describe(), HasSubstr("to"));
}

}  // namespace
}  // namespace fairway::graph
