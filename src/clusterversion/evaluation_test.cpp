#include "clusterversion/evaluation.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "clusterversion/query_answer.hpp"

namespace fairway::clusterversion {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

MatchingRule asks(std::string query) {
  return {.type = "PromQL", .promql = PromqlRule{std::move(query)}};
}
Risk risk(std::string name, std::vector<MatchingRule> rules) {
  return {.url = "https://bugs.example/" + name,
          .name = name,
          .message = "About " + name + ".",
          .matching_rules = std::move(rules)};
}
Release release(std::string version) {
  return {.version = version, .image = "r@sha256:" + version};
}

// A cluster with answers to queries, and what it would publish.
class Cluster {
 public:
  Cluster& offers(std::string version, std::vector<Risk> risks) {
    answer.conditional.push_back({release(std::move(version)), std::move(risks)});
    return *this;
  }
  Cluster& knows(const std::string& query, QueryOutcome outcome) {
    queries.record(query, std::move(outcome), now);
    return *this;
  }
  Cluster& fails(const std::string& query, std::string why) {
    return knows(query, std::unexpected(QueryFailure{std::move(why)}));
  }

  Evaluated evaluate() {
    const Offer offer = make_offer(answer);
    Evaluated made = evaluate_offer(&offer, queries, accepted, published, now, settings);
    published.available_updates = made.available;
    published.conditional_updates = made.conditional;
    published.conditional_update_risks = made.risks;
    return made;
  }
  // "False A: message" of the first target.
  std::string verdict() {
    const kube::Condition found = condition(kRecommended);
    return found.status + " " + found.reason + ": " + found.message;
  }
  kube::Condition condition(std::string_view type) {
    const Evaluated made = evaluate();
    return *kube::find_condition(made.conditional.at(0).conditions, type);
  }

  GraphAnswer answer;
  QuerySchedule queries{QueryPacing{.fast_first_round = false}};
  AcceptedNames accepted;
  ClusterVersionStatus published;
  EvaluationSettings settings;
  Moment now{SteadyTime(std::chrono::hours(1)), WallTime(std::chrono::hours(480000))};
};

TEST(Evaluation, Case27OnlyRulesThatNobodyKnows) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {{.type = "Platform"}})});
  EXPECT_EQ(cluster.condition(kEvaluating).status, "False");
  EXPECT_EQ(cluster.condition(kEvaluating).reason, "UnrecognizedMatchingRules");
  EXPECT_EQ(cluster.condition(kRecommended).status, "Unknown");
  EXPECT_NE(
      cluster.condition(kRecommended).message.find("no recognized cluster condition types in matchingRules"),
      std::string::npos);
  EXPECT_TRUE(cluster.evaluate().available.empty());
}

TEST(Evaluation, Case28TheNextRuleSpeaks) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {{.type = "Platform"}, {.type = "Always"}})});
  EXPECT_EQ(cluster.verdict(), "False A: About A. https://bugs.example/A");
  EXPECT_EQ(cluster.condition(kEvaluating).status, "True");
  EXPECT_EQ(cluster.condition(kEvaluating).reason, "PeriodicEvaluation");
}

TEST(Evaluation, Case29NoRulesAtAll) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {})});
  EXPECT_EQ(cluster.condition(kRecommended).status, "False");
  EXPECT_EQ(cluster.condition(kEvaluating).reason, "NoMatchingRules");
}

TEST(Evaluation, Case31TheSameOfferGivesTheSameStatus) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {asks("q")})}).knows("q", true);
  cluster.evaluate();
  const ClusterVersionStatus before = cluster.published;
  cluster.now.wall += minutes(3);
  cluster.now.steady += minutes(3);
  cluster.evaluate();
  EXPECT_EQ(cluster.published, before);
}

TEST(Evaluation, Case32And33OneAndZero) {
  Cluster exposed;
  exposed.offers("4.7.4", {risk("A", {asks("q")})}).knows("q", true);
  EXPECT_EQ(exposed.verdict(), "False A: About A. https://bugs.example/A");
  Cluster safe;
  safe.offers("4.7.4", {risk("A", {asks("q")})}).knows("q", false);
  EXPECT_EQ(safe.verdict(),
            "True NotExposedToRisks: The update is recommended, because none of the conditional update risks "
            "apply to this "
            "cluster.");
  EXPECT_EQ(safe.published.available_updates.size(), 1U);
  EXPECT_EQ(safe.published.conditional_updates.size(), 1U);
}

// A query's failure is PromQLError here, as the seed's console shows it; any other type's is
// EvaluationFailed.
TEST(Evaluation, Case34To38FailuresAreToldInFull) {
  const std::array<std::pair<QueryOutcome, std::string_view>, 9> cases{{
      {judge_result("vector", {}), "invalid PromQL result length must be one, but is 0"},
      {judge_result("vector", {"1", "1"}), "invalid PromQL result length must be one, but is 2"},
      {judge_result("vector", {"2"}), "invalid PromQL result (must be 0 or 1): 2"},
      {judge_result("vector", {"NaN"}), "invalid PromQL result (must be 0 or 1): NaN"},
      {judge_result("scalar", {}), "invalid PromQL result type is scalar, not vector"},
      {judge_result("string", {}), "invalid PromQL result type is string, not vector"},
      {read_query_answer(403, ""), "executing PromQL query: client_error: client error: 403"},
      {read_query_answer(400, R"({"status":"error","errorType":"bad_data","error":"1:2: parse error"})"),
       "executing PromQL query: bad_data: 1:2: parse error"},
      {read_query_answer(502, "<html>"), "executing PromQL query: server_error: server error: 502"},
  }};
  for (const auto& [outcome, why] : cases) {
    Cluster cluster;
    cluster.offers("4.7.4", {risk("A", {asks("q")})}).knows("q", outcome);
    EXPECT_EQ(cluster.verdict(), "Unknown PromQLError: Could not evaluate exposure to update risk A (" +
                                     std::string(why) +
                                     ")\n  A description: About A.\n  A URL: https://bugs.example/A");
  }
}

TEST(Evaluation, Case39And40TheWalk) {
  Cluster next;
  next.offers("4.7.4", {risk("A", {asks("bad"), {.type = "Always"}})}).fails("bad", "e1");
  EXPECT_EQ(next.verdict().substr(0, 7), "False A");
  Cluster both;
  both.offers("4.7.4", {risk("A", {asks("bad1"), asks("bad2")})}).fails("bad1", "e1").fails("bad2", "e2");
  EXPECT_NE(both.verdict().find("risk A ([e1, e2])"), std::string::npos);
  Cluster same;
  same.offers("4.7.4", {risk("A", {asks("bad1"), asks("bad2")})}).fails("bad1", "e").fails("bad2", "e");
  EXPECT_NE(same.verdict().find("risk A (e)"), std::string::npos);
}

// A later rule must not speak before an earlier one had its turn.
TEST(Evaluation, ARuleThatWaitsEndsTheWalk) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {asks("first"), asks("second")})}).knows("second", false);
  EXPECT_EQ(cluster.condition(kRecommended).status, "Unknown");
  EXPECT_EQ(cluster.evaluate().wanted, std::vector<std::string>{"first"});
}

TEST(Evaluation, Case41To44Folding) {
  Cluster match_and_error;
  match_and_error.offers("4.7.4", {risk("X", {asks("x")}), risk("Y", {asks("y")})})
      .knows("x", true)
      .fails("y", "e");
  EXPECT_EQ(match_and_error.verdict(),
            "False MultipleReasons: About X. https://bugs.example/X\n\nCould not evaluate exposure to update "
            "risk Y (e)\n  Y "
            "description: About Y.\n  Y URL: https://bugs.example/Y");
  Cluster no_match_and_error;
  no_match_and_error.offers("4.7.4", {risk("X", {asks("x")}), risk("Y", {asks("y")})})
      .knows("x", false)
      .fails("y", "e");
  EXPECT_EQ(no_match_and_error.verdict().substr(0, 19), "Unknown PromQLError");
  Cluster two_matches;
  two_matches.offers("4.7.4", {risk("X", {asks("x")}), risk("Y", {asks("x")})}).knows("x", true);
  EXPECT_EQ(two_matches.verdict().substr(0, 21), "False MultipleReasons");
  Cluster odd_name;
  odd_name.offers("4.7.4", {risk("bad name!", {{.type = "Always"}})});
  EXPECT_EQ(odd_name.verdict().substr(0, 20), "False ExposedToRisks");
  Cluster odd_name_and_error;
  odd_name_and_error.offers("4.7.4", {risk("Y", {asks("y")}), risk("bad name!", {{.type = "Always"}})})
      .fails("y", "e");
  EXPECT_EQ(odd_name_and_error.verdict().substr(0, 20), "False ExposedToRisks")
      << "absorbs not being able to tell";
}

TEST(Evaluation, Case45TheTimeMovesOnceWithTheStatus) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {asks("q")})})
      .offers("4.7.3", {risk("B", {asks("waits")})})
      .knows("q", false);
  EXPECT_EQ(cluster.evaluate().available.size(), 1U);
  const auto first = cluster.condition(kRecommended).last_transition_time;
  cluster.now.wall += minutes(60);
  cluster.knows("q", true);
  const Evaluated changed = cluster.evaluate();
  EXPECT_TRUE(changed.available.empty());
  const auto second = recommended(changed.conditional[0])->last_transition_time;
  EXPECT_EQ(*second - *first, minutes(60));
  for (int i = 0; i < 5; ++i) {
    cluster.now.wall += seconds(1);
    EXPECT_EQ(cluster.condition(kRecommended).last_transition_time, second);
  }
}

TEST(Evaluation, Case46ARestartKeepsSinceWhen) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {asks("q")})});
  const auto since = cluster.condition(kRecommended).last_transition_time;
  cluster.queries = QuerySchedule();
  cluster.now.wall += minutes(90);
  EXPECT_EQ(cluster.condition(kRecommended).last_transition_time, since);
}

TEST(Evaluation, Case47AcceptedByName) {
  Cluster cluster;
  cluster.settings.accepts_risks = true;
  cluster.accepted = {"X"};
  cluster.offers("4.7.4", {risk("X", {asks("x")})}).knows("x", true).knows("y", true);
  EXPECT_EQ(cluster.verdict(),
            "True AllExposedRisksAccepted: The update is recommended, because either risk does not apply to "
            "this cluster or it "
            "is accepted by cluster admins.");
  for (const bool is_first : {true, false}) {
    Cluster both = cluster;
    both.answer.conditional[0].risks.insert(
        is_first ? both.answer.conditional[0].risks.begin() : both.answer.conditional[0].risks.end(),
        risk("Y", {asks("y")}));
    EXPECT_EQ(both.verdict(), "False Y: About Y. https://bugs.example/Y");
  }
  cluster.settings.accepts_risks = false;
  EXPECT_EQ(cluster.verdict().substr(0, 7), "False X") << "names count only where that is switched on";
}

TEST(Evaluation, Case47RisksAreToldOneByOne) {
  Cluster cluster;
  cluster.settings.accepts_risks = true;
  cluster.offers("4.7.4", {risk("X", {asks("x")}), risk("A", {asks("a")})})
      .knows("x", true)
      .knows("a", false);
  const Evaluated made = cluster.evaluate();
  EXPECT_EQ(made.conditional[0].risk_names, (std::vector<std::string>{"A", "X"}));
  ASSERT_EQ(made.risks.size(), 2U);
  EXPECT_EQ(made.risks[0].name, "A");
  EXPECT_EQ(made.risks[0].conditions[0].reason, "NotMatch");
  EXPECT_EQ(made.risks[1].conditions[0].status, "True");
}

TEST(Evaluation, Case48WaitingIsToldAsWaiting) {
  Cluster cluster;
  cluster.offers("4.7.4", {risk("A", {asks("q1")}), risk("B", {asks("q2")})}).knows("q1", true);
  EXPECT_EQ(cluster.verdict(),
            "False A: About A. https://bugs.example/A\n\nExposure to update risk B is not evaluated yet "
            "(evaluation is throttled "
            "until 00:10:00Z)\n  B description: About B.\n  B URL: https://bugs.example/B");
  // As soon as the verdict is there the target is folded again, although it was False already.
  cluster.knows("q2", false);
  EXPECT_EQ(cluster.verdict(), "False A: About A. https://bugs.example/A");
}

TEST(Evaluation, Case49OneQueryForManyRisks) {
  Cluster cluster;
  for (const char* version : {"4.7.1", "4.7.2", "4.7.3"})
    cluster.offers(version, {risk("A", {asks("q1")}), risk("B", {asks("q1")})});
  EXPECT_EQ(cluster.evaluate().wanted, std::vector<std::string>{"q1"});
}

TEST(Evaluation, TheHighestTargetIsAskedForFirstThenByName) {
  Cluster cluster;
  cluster.offers("4.6.9", {risk("A", {asks("low")})})
      .offers("4.6.10", {risk("Z", {asks("high z")}), risk("B", {asks("high b")})});
  EXPECT_EQ(cluster.evaluate().wanted, (std::vector<std::string>{"high b", "high z", "low"}));
}

TEST(Evaluation, TheSameNameWithOtherRulesHasAVerdictOfItsOwn) {
  Cluster cluster;
  cluster.offers("4.7.2", {risk("A", {asks("q2")})})
      .offers("4.7.1", {risk("A", {asks("q1")})})
      .knows("q1", true)
      .knows("q2", false);
  const Evaluated made = cluster.evaluate();
  EXPECT_TRUE(is_recommended(made.conditional[0]));
  EXPECT_FALSE(is_recommended(made.conditional[1]));
}

TEST(Evaluation, AnOpenIdIsFilledIn) {
  Cluster cluster;
  cluster.settings.cluster_id = "me";
  cluster.offers("4.7.4", {risk("A", {asks(R"(x{_id=""})")})});
  const Evaluated made = cluster.evaluate();
  EXPECT_EQ(made.wanted, std::vector<std::string>{R"(x{_id="me"})"});
  EXPECT_EQ(made.conditional[0].risks[0].matching_rules[0].promql->promql, R"(x{_id="me"})");
}

TEST(Evaluation, KnownRisksOfTheRunningRelease) {
  Cluster cluster;
  cluster.answer.known_risks = {risk("Proxy", {asks("proxy")}), risk("Disk", {asks("disk")})};
  cluster.knows("proxy", true).knows("disk", false);
  const Offer offer = make_offer(cluster.answer);
  const Evaluated made = evaluate_offer(&offer, cluster.queries, {}, {}, cluster.now, {});
  ASSERT_EQ(made.exposures.size(), 1U);
  EXPECT_EQ(made.exposures[0]->name, "Proxy");
}

// Every combination of up to three risks, each with a list of up to three rules, each rule with any outcome:
// an update is recommended only when every risk was evaluated and does not apply.
class EveryCombination {
 public:
  enum class Outcome { Match, NoMatch, Error, Waiting, UnknownType, Always };
  using Rules = std::vector<Outcome>;

  static std::vector<Rules> rule_lists() {
    constexpr std::array kAll = {Outcome::Match,   Outcome::NoMatch,     Outcome::Error,
                                 Outcome::Waiting, Outcome::UnknownType, Outcome::Always};
    std::vector<Rules> lists = {{}};
    for (const Outcome first : kAll) {
      lists.push_back({first});
      for (const Outcome second : kAll) lists.push_back({first, second});
    }
    return lists;
  }
  // The specification in a few lines: what a list of rules says.
  static Outcome expected(const Rules& rules) {
    if (rules.empty()) return Outcome::Match;
    for (const Outcome rule : rules) {
      if (rule == Outcome::UnknownType || rule == Outcome::Error) continue;
      if (rule == Outcome::Always) return Outcome::Match;
      return rule;
    }
    return Outcome::Error;
  }
  static MatchingRule rule(Outcome outcome) {
    switch (outcome) {
      case Outcome::Always:
        return {.type = "Always"};
      case Outcome::UnknownType:
        return {.type = "Platform"};
      case Outcome::Match:
        return asks("match");
      case Outcome::NoMatch:
        return asks("no match");
      case Outcome::Error:
        return asks("error");
      case Outcome::Waiting:
        break;
    }
    return asks("waiting");
  }
};

TEST(EvaluationProperty, RecommendedOnlyWhenEveryRiskIsKnownNotToApply) {
  using Outcome = EveryCombination::Outcome;
  Cluster base;
  base.knows("match", true).knows("no match", false).fails("error", "e");
  const auto lists = EveryCombination::rule_lists();
  std::size_t recommended_count = 0;
  std::size_t combinations = 0;
  const auto check = [&](std::initializer_list<const EveryCombination::Rules*> risks) {
    GraphAnswer answer;
    answer.conditional.push_back({release("4.7.4"), {}});
    bool all_safe = true;
    bool any_applies = false;
    for (const auto* rules : risks) {
      std::vector<MatchingRule> made;
      for (const Outcome outcome : *rules) made.push_back(EveryCombination::rule(outcome));
      answer.conditional[0].risks.push_back(
          risk("R" + std::to_string(answer.conditional[0].risks.size()), made));
      all_safe &= EveryCombination::expected(*rules) == Outcome::NoMatch;
      any_applies |= EveryCombination::expected(*rules) == Outcome::Match;
    }
    const Offer offer = make_offer(answer);
    const Evaluated evaluated = evaluate_offer(&offer, base.queries, {}, {}, base.now, {});
    const std::string status = recommended(evaluated.conditional.at(0))->status;
    ++combinations;
    recommended_count += all_safe ? 1 : 0;
    ASSERT_EQ(status, all_safe ? "True" : any_applies ? "False" : "Unknown");
    ASSERT_EQ(evaluated.available.size(), all_safe ? 1U : 0U);
  };
  for (const auto& first : lists) {
    check({&first});
    for (const auto& second : lists) {
      check({&first, &second});
      // The third with one rule at most: its place matters, its own walk was checked above.
      for (const auto& third : lists) {
        if (third.size() < 2) check({&first, &second, &third});
      }
    }
  }
  EXPECT_GT(recommended_count, 0U);
  EXPECT_GT(combinations, 10'000U);
}

}  // namespace
}  // namespace fairway::clusterversion
