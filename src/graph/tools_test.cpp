// explain, path, audit, diff and show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/audit.hpp"
#include "graph/diff.hpp"
#include "graph/explain.hpp"
#include "graph/graph_testing.hpp"
#include "graph/path.hpp"
#include "graph/show.hpp"

namespace fairway::graph {
namespace {

using testing::channel;
using testing::data;
using ::testing::ElementsAre;
using testing::graph;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::release;
using testing::risk;
using testing::view;
using Verdict = Explanation::Verdict;

class Tools : public ::testing::Test {
 protected:
  // 4.6.1 → 4.6.2 → 4.7.0 → 4.7.1, with shortcuts; 4.7.0 at risk A, 4.7.1 at risks A and B from 4.6, 4.8.0
  // blocked.
  std::shared_ptr<const Graph> built_ =
      graph({release("4.6.1"), release("4.6.2", {"4.6.1"}), release("4.7.0", {"4.6.1", "4.6.2"}),
             release("4.7.1", {"4.6.1", "4.6.2", "4.7.0"}), release("4.8.0", {"4.7.0", "4.7.1"}),
             release("4.9.0", {"4.8.0"}), release("4.9.1")},
            data({{"channels/stable-4.7.yaml", channel("stable-4.7", {"4.6.1", "4.6.2", "4.7.0", "4.7.1"})},
                  {"channels/stable-4.8.yaml", channel("stable-4.8", {"4.7.0", "4.7.1", "4.8.0"})},
                  {"channels/stable-4.9.yaml", channel("stable-4.9", {"4.8.0", "4.9.0", "4.9.1"})},
                  {"blocked-edges/4.7.0-A.yaml", risk("4.7.0", "4[.]6[.].*", "A")},
                  {"blocked-edges/4.7.1-A.yaml", risk("4.7.1", "4[.]6[.].*", "A")},
                  {"blocked-edges/4.7.1-B.yaml",
                   risk("4.7.1", "4[.]6[.].*", "B", "- type: PromQL\n  promql:\n    promql: up\n")},
                  {"blocked-edges/4.8.0.yaml", "to: 4.8.0\nfrom: 4[.]7[.]0\n"},
                  {"blocked-edges/4.9.0-T.yaml", "to: 4.9.0\nfrom: .*\nclusters: {promql: allowed}\n"}}));

  Explanation explain(const std::string& from, const std::string& to, std::optional<std::string> channel = {},
                      const AllowedRules& allowed = AllowedRules::all()) {
    return explain_edge(*built_, {.from = from, .to = to, .channel = std::move(channel)}, allowed);
  }
  Document whole() const {
    return document_of(*built_, std::nullopt, 0, Outcomes(*built_, AllowedRules::all()));
  }
};

TEST_F(Tools, ExplainNamesTheFiles) {
  EXPECT_EQ(explain("4.6.1", "4.6.2").verdict, Verdict::Recommended);
  const auto conditional = explain("4.6.1", "4.7.1", "stable-4.7");
  EXPECT_EQ(conditional.verdict, Verdict::Conditional);
  ASSERT_EQ(conditional.causes.size(), 2U);
  EXPECT_EQ(conditional.causes[0].file, "blocked-edges/4.7.1-A.yaml");
  EXPECT_EQ(conditional.causes[1].risk->name, "B");
  EXPECT_THAT(to_text(conditional), HasSubstr("applies when: PromQL up"));
  const auto blocked = explain("4.7.0", "4.8.0");
  EXPECT_EQ(blocked.verdict, Verdict::Blocked);
  EXPECT_EQ(blocked.causes.front().file, "blocked-edges/4.8.0.yaml");
  EXPECT_THAT(json::serialize(to_json(blocked)), HasSubstr(R"("verdict":"Blocked")"));
}

TEST_F(Tools, ExplainSaysWhatIsNotThere) {
  EXPECT_EQ(explain("4.6.1", "4.8.0").verdict, Verdict::NotDeclared);
  EXPECT_EQ(explain("4.7.1", "4.6.1").verdict, Verdict::NotDeclared);
  EXPECT_EQ(explain("4.6.1", "4.7.0", "stable-4.8").verdict, Verdict::NotInChannel);
  EXPECT_THAT(explain("4.6.1", "4.7.0", "stable-4.8").summary, HasSubstr("it is in stable-4.7"));
  EXPECT_EQ(explain("4.6.9", "4.7.0").verdict, Verdict::NoSuchVersion);
  EXPECT_THAT(explain("4.6.9", "4.7.0").summary, HasSubstr("did you mean"));
  EXPECT_EQ(explain("4.6.1", "4.7.0", "stabel-4.7").verdict, Verdict::NoSuchChannel);
  EXPECT_THAT(explain("4.6.1", "4.7.0", "stabel-4.7").summary, HasSubstr("stable-4.7"));
  EXPECT_EQ(explain_edge(*built_, {.from = "4.6.1", .to = "4.7.0", .arch = "x"}, AllowedRules::all()).verdict,
            Verdict::NoSuchArchitecture);
}

TEST_F(Tools, ExplainDecidesByTheClientsId) {
  EXPECT_EQ(explain("4.8.0", "4.9.0").verdict, Verdict::Recommended);
  EXPECT_THAT(explain("4.8.0", "4.9.0").causes.front().what, HasSubstr("allows this client: allowed"));
  const auto blocked = explain("4.8.0", "4.9.0", {}, AllowedRules::none());
  EXPECT_EQ(blocked.verdict, Verdict::Blocked);
  EXPECT_THAT(blocked.causes.front().what, HasSubstr("does not allow"));
}

TEST_F(Tools, PathWithFewestHopsOrFewestRisks) {
  const auto hops = find_path(whole(), {.from = "4.6.1", .to = "4.8.0"});
  ASSERT_TRUE(hops) << hops.error().describe();
  EXPECT_EQ(to_text(*hops), "4.6.1 -> 4.7.1  risks: A, B\n4.7.1 -> 4.8.0\n");
  const auto risks =
      find_path(whole(), {.from = "4.6.1", .to = "4.8.0", .objective = PathRequest::Objective::FewestRisks});
  ASSERT_TRUE(risks);
  EXPECT_EQ(to_text(*risks), "4.6.1 -> 4.7.0  risks: A\n4.7.0 -> 4.7.1\n4.7.1 -> 4.8.0\n");
}

TEST_F(Tools, PathCarriesAcceptedRisksAlong) {
  const auto path = find_path(whole(), {.from = "4.6.1",
                                        .to = "4.8.0",
                                        .objective = PathRequest::Objective::FewestRisks,
                                        .accepted = {"A", "B"},
                                        .only_recommended = true});
  ASSERT_TRUE(path) << path.error().describe();
  EXPECT_EQ(to_text(*path), "4.6.1 -> 4.7.1  accepted: A, B\n4.7.1 -> 4.8.0\n");
  EXPECT_THAT(path->risks(), IsEmpty());
  EXPECT_FALSE(
      find_path(whole(), {.from = "4.6.1", .to = "4.8.0", .accepted = {"B"}, .only_recommended = true}));
}

TEST_F(Tools, PathJudgesRisksByACluster) {
  PathRequest request{.from = "4.6.1",
                      .to = "4.7.1",
                      .objective = PathRequest::Objective::FewestRisks,
                      .only_recommended = true};
  request.judge = [](const Risk& risk) {
    return judge_risk(risk, [](std::string_view) { return RiskVerdict::DoesNotApply; });
  };
  EXPECT_FALSE(find_path(whole(), request)) << "A always applies";
  request.accepted = {"A"};
  const auto path = find_path(whole(), request);
  ASSERT_TRUE(path);
  EXPECT_THAT(path->steps.front().not_applying, ElementsAre("B"));
  EXPECT_THAT(json::serialize(to_json(*path)), HasSubstr(R"("notApplying":["B"])"));
}

TEST_F(Tools, PathSaysWhichChannelToBeIn) {
  const auto path = find_path(
      whole(), {.from = "4.6.2", .to = "4.9.0", .channels = {"stable-4.7", "stable-4.8", "stable-4.9"}});
  ASSERT_TRUE(path) << path.error().describe();
  std::vector<std::string> channels;
  channels.reserve(path->steps.size());
  for (const PathStep& step : path->steps) channels.push_back(step.channel);
  EXPECT_THAT(channels, ElementsAre("stable-4.7", "stable-4.8", "stable-4.9"));
  const auto none = find_path(whole(), {.from = "4.6.2", .to = "4.9.0", .channels = {"stable-4.7"}});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("the highest version within reach is 4.7.1"));
  EXPECT_THAT(find_path(whole(), {.from = "4.6.9", .to = "4.9.0"}).error().message,
              HasSubstr("did you mean"));
}

TEST(Verdicts, TheFirstRuleThatCanBeEvaluatedDecides) {
  const QueryJudge judge = [](std::string_view query) {
    return query == "yes"  ? RiskVerdict::Applies
           : query == "no" ? RiskVerdict::DoesNotApply
                           : RiskVerdict::Unknown;
  };
  const auto of = [&](std::vector<Rule> rules) {
    return judge_risk({"u", "n", "m", std::move(rules)}, judge);
  };
  EXPECT_EQ(of({promql_rule("no"), always_rule()}), RiskVerdict::DoesNotApply);
  EXPECT_EQ(of({promql_rule("?"), promql_rule("yes")}), RiskVerdict::Applies);
  EXPECT_EQ(of({promql_rule("?"), always_rule()}), RiskVerdict::Applies);
  EXPECT_EQ(of({Rule{.type = "Odd"}, promql_rule("no")}), RiskVerdict::DoesNotApply);
  EXPECT_EQ(of({Rule{.type = "Odd"}}), RiskVerdict::Unknown);
  EXPECT_EQ(of({}), RiskVerdict::Unknown);
}

TEST_F(Tools, AuditFindsVersionsWithoutAnExit) {
  const Audit stable47 = audit(view(*built_, "stable-4.7"));
  EXPECT_EQ(stable47.head, "4.7.1");
  EXPECT_THAT(stable47.only_conditional, ElementsAre("4.6.2"));
  EXPECT_THAT(stable47.head_at_risk, ElementsAre("4.6.1")) << "4.6.1 → 4.6.2 is safe, and then it ends";
  EXPECT_THAT(stable47.without_exit, IsEmpty());
  const Audit stable49 = audit(view(*built_, "stable-4.9"));
  EXPECT_THAT(stable49.without_exit, ElementsAre("4.9.0"));
  EXPECT_THAT(stable49.cut_off, ElementsAre("4.8.0"));
  EXPECT_TRUE(audit(Document{}).is_clean());
  EXPECT_THAT(json::serialize(to_json(stable49)), HasSubstr(R"("head":"4.9.1")"));
  EXPECT_THAT(audit(view(*built_, "stable-4.9", "amd64", AllowedRules::none())).without_exit,
              ElementsAre("4.8.0", "4.9.0"))
      << "seed 000: a request without id";
}

TEST_F(Tools, DiffSaysWhatChanged) {
  const auto before = view(*built_, "stable-4.7");
  EXPECT_TRUE(diff(before, before).is_empty());
  const auto other =
      graph({release("4.6.1"), release("4.6.2", {"4.6.1"}, "amd64", "other"), release("4.7.0", {"4.6.1"}),
             release("4.7.2", {"4.7.0"})},
            data({{"channels/stable-4.7.yaml", channel("stable-4.7", {"4.6.1", "4.6.2", "4.7.0", "4.7.2"})},
                  {"blocked-edges/4.6.2-C.yaml", risk("4.6.2", ".*", "C")}}));
  const auto after = view(*other, "stable-4.7");
  EXPECT_EQ(to_text(diff(before, after)),
            "- 4.7.1\n+ 4.7.2\n~ 4.6.2: another payload\n"
            "~ 4.6.1 -> 4.6.2: conditional on C, was recommended\n"
            "~ 4.6.1 -> 4.7.0: recommended, was conditional on A\n"
            "- 4.6.1 -> 4.7.1: absent, was conditional on A, B\n"
            "- 4.6.2 -> 4.7.0: absent, was conditional on A\n"
            "- 4.6.2 -> 4.7.1: absent, was conditional on A, B\n"
            "- 4.7.0 -> 4.7.1: absent, was recommended\n"
            "+ 4.7.0 -> 4.7.2: recommended\n");
  auto reworded = before;
  reworded.risks.front().message = "other";
  EXPECT_THAT(to_text(diff(before, reworded)), HasSubstr("the risks' texts changed"));
  EXPECT_THAT(json::serialize(to_json(diff(before, after))), HasSubstr(R"("added":["4.7.2"])"));
}

TEST_F(Tools, ShowHasThreeForms) {
  const auto document = view(*built_, "stable-4.7");
  EXPECT_THAT(to_edge_lines(document),
              HasSubstr("4.6.1 -> 4.6.2\n4.6.1 -(blocked: A)-> 4.7.0\n4.6.1 -(blocked: A, B)-> 4.7.1\n"));
  EXPECT_THAT(to_dot(document), HasSubstr("  n0 -> n2 [style=dashed, label=\"A\"];\n"));
  EXPECT_THAT(to_dot(document), HasSubstr("n0 [label=\"4.6.1\"]"));
  EXPECT_THAT(to_mermaid(document), HasSubstr("  n0 -. \"A\" .-> n2\n"));
  Document odd = document;
  odd.risks.front().name = "a\"];evil";
  EXPECT_THAT(to_dot(odd), HasSubstr("label=\"a\\\"];evil\""));
  EXPECT_THAT(to_mermaid(odd), HasSubstr("&quot;"));
}

}  // namespace
}  // namespace fairway::graph
