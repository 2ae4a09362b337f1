// Blocks that are decided by a cluster's id: sets, answers, lifetimes, Prometheus' document, and their
// keeper.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "graph/graph_testing.hpp"
#include "updateservice/query_result.hpp"
#include "updateservice/rate_limit.hpp"
#include "updateservice/targeting.hpp"

namespace fairway::updateservice {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAllowed = "00000000-0000-4000-8000-00000000000a";
constexpr std::string_view kBlocked = "00000000-0000-4000-8000-00000000000b";
constexpr std::string_view kStranger = "00000000-0000-4000-8000-00000000000c";

IdSet set_of(std::initializer_list<std::pair<std::string_view, IdVerdict>> entries) {
  IdSet::Builder builder;
  for (const auto& [id, verdict] : entries) builder.add(id, verdict);
  return std::move(builder).build();
}

TEST(IdSet, KnowsWhatItWasGiven) {
  const IdSet set = set_of(
      {{kAllowed, IdVerdict::Allowed}, {kBlocked, IdVerdict::Blocked}, {"no uuid", IdVerdict::Allowed}});
  EXPECT_EQ(set.find(key_of(kAllowed)), IdVerdict::Allowed);
  EXPECT_EQ(set.find(key_of(kBlocked)), IdVerdict::Blocked);
  EXPECT_EQ(set.find(key_of("no uuid")), IdVerdict::Allowed);
  EXPECT_EQ(set.find(key_of(kStranger)), IdVerdict::Unknown);
  EXPECT_EQ(set.find(key_of("")), IdVerdict::Unknown);
  EXPECT_EQ(IdSet().find(key_of(kAllowed)), IdVerdict::Unknown);
}

TEST(IdSet, OfSeveralValuesTheSafestCounts) {
  using enum IdVerdict;
  EXPECT_EQ(set_of({{kAllowed, Allowed}, {kAllowed, Blocked}}).find(key_of(kAllowed)), Blocked);
  EXPECT_EQ(set_of({{kAllowed, Blocked}, {kAllowed, Allowed}}).find(key_of(kAllowed)), Blocked);
  EXPECT_EQ(set_of({{kAllowed, Unknown}, {kAllowed, Allowed}}).find(key_of(kAllowed)), Unknown);
  EXPECT_EQ(set_of({{kAllowed, Allowed}, {kAllowed, Allowed}}).find(key_of(kAllowed)), Allowed);
}

TEST(IdSet, AnIdInUpperCaseIsAnotherId) {
  const IdSet set = set_of({{"ABCDEF00-0000-4000-8000-00000000000A", IdVerdict::Allowed}});
  EXPECT_EQ(set.find(key_of("abcdef00-0000-4000-8000-00000000000a")), IdVerdict::Unknown);
}

TEST(IdSet, AMillionIdsTakeLittleMoreThanSixteenBytesEach) {
  IdSet::Builder builder;
  for (unsigned i = 0; i < 1'000'000; ++i)
    builder.add(fmt::format("{:08x}-0000-4000-8000-{:012x}", i * 2654435761U, i), IdVerdict::Allowed);
  const IdSet set = std::move(builder).build();
  EXPECT_EQ(set.allowed(), 1'000'000U);
  EXPECT_LT(set.footprint(), 17'000'000U);
  EXPECT_EQ(set.find(key_of(fmt::format("{:08x}-0000-4000-8000-{:012x}", 77 * 2654435761U, 77))),
            IdVerdict::Allowed);
}

// --- what an answer is worth at a time ---

RuleAnswer answer_at(SteadyTime asked) {
  return {.asked = asked, .ids = set_of({{kAllowed, IdVerdict::Allowed}, {kBlocked, IdVerdict::Blocked}})};
}

TEST(Judge, Case75And80EachVerdictHasItsOwnLifetime) {
  const Lifetimes lifetimes{.allowed = 1h, .blocked = 24h, .unknown = 30min};
  const SteadyTime asked{100h};
  const RuleAnswer answer = answer_at(asked);
  struct Case {
    std::string_view id;
    Duration age;
    bool allows;
    bool is_expired;
  };
  const Case cases[] = {
      {kAllowed, 0s, true, false},   {kAllowed, 59min, true, false},   {kAllowed, 1h, false, true},
      {kBlocked, 0s, false, false},  {kBlocked, 23h, false, false},    {kBlocked, 24h, false, true},
      {kStranger, 0s, false, false}, {kStranger, 29min, false, false}, {kStranger, 30min, false, true},
  };
  for (const Case& c : cases) {
    const Judgement judgement = judge(&answer, key_of(c.id), lifetimes, asked + c.age);
    EXPECT_EQ(judgement.allows, c.allows) << c.id << " " << c.age.count();
    EXPECT_EQ(judgement.is_expired, c.is_expired) << c.id << " " << c.age.count();
  }
}

TEST(Judge, Case77AFailureBlocksEveryoneUntilItIsAskedAgain) {
  RuleAnswer answer = answer_at(SteadyTime{});
  answer.failure = "down";
  const Lifetimes lifetimes{.failure = 30s};
  EXPECT_FALSE(judge(&answer, key_of(kAllowed), lifetimes, SteadyTime{29s}).allows);
  EXPECT_FALSE(judge(&answer, key_of(kAllowed), lifetimes, SteadyTime{29s}).is_expired);
  EXPECT_FALSE(judge(&answer, key_of(kAllowed), lifetimes, SteadyTime{30s}).allows);
  EXPECT_TRUE(judge(&answer, key_of(kAllowed), lifetimes, SteadyTime{30s}).is_expired);
  EXPECT_FALSE(judge(nullptr, key_of(kAllowed), lifetimes, SteadyTime{}).allows);
  EXPECT_TRUE(judge(nullptr, key_of(kAllowed), lifetimes, SteadyTime{}).is_expired);
}

// --- Prometheus' document ---

Result<QueryResult> read_result(std::string_view text, std::size_t piece = 7) {
  QueryResultReader reader(3);
  for (std::size_t at = 0; at < text.size(); at += piece)
    FAIRWAY_CHECKED(reader.feed(text.substr(at, piece)));
  return reader.finish();
}

std::string vector_of(std::string_view samples) {
  return fmt::format(R"({{"status":"success","data":{{"resultType":"vector","result":[{}]}}}})", samples);
}

TEST(QueryResult, Case75OnlyOneAllowsAndOnlyZeroBlocks) {
  struct Case {
    std::string_view value;
    IdVerdict verdict;
  };
  for (const Case& c :
       {Case{"1", IdVerdict::Allowed}, Case{"0", IdVerdict::Blocked}, Case{"0.5", IdVerdict::Unknown},
        Case{"NaN", IdVerdict::Unknown}, Case{"+Inf", IdVerdict::Unknown}, Case{"1e0", IdVerdict::Allowed},
        Case{"-0", IdVerdict::Blocked}, Case{"", IdVerdict::Unknown}, Case{"1 ", IdVerdict::Unknown}}) {
    auto result = read_result(vector_of(fmt::format(
        R"({{"metric":{{"a":"b","_id":"{}","z":"1"}},"value":[1700000000.781,"{}"]}})", kAllowed, c.value)));
    ASSERT_TRUE(result) << result.error().describe();
    EXPECT_EQ(result->with_other_value, c.verdict == IdVerdict::Unknown ? 1U : 0U) << c.value;
    EXPECT_EQ(std::move(result->ids).build().find(key_of(kAllowed)), c.verdict) << c.value;
  }
}

TEST(QueryResult, SamplesWithoutAnIdAreCountedAndAllowNobody) {
  const auto result =
      read_result(vector_of(R"({"metric":{},"value":[1,"1"]},{"metric":{"_id":""},"value":[1,"1"]})"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->without_id, 2U);
  EXPECT_EQ(result->ids.size(), 0U);
}

TEST(QueryResult, AnythingButAWholeVectorIsAnError) {
  const std::string good = vector_of(fmt::format(R"({{"metric":{{"_id":"{}"}},"value":[1,"1"]}})", kAllowed));
  ASSERT_TRUE(read_result(good));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_result(std::string_view(good).substr(0, size))) << size;
  for (const std::string& text :
       {std::string(R"({"status":"error","errorType":"bad_data","error":"parse error"})"),
        std::string(R"({"status":"success","data":{"resultType":"scalar","result":[1,"1"]}})"),
        std::string(R"({"status":"success","data":{"resultType":"matrix","result":[]}})"), std::string("[]"),
        std::string("\"success\""), std::string("<html>"),
        std::string(R"({"data":{"resultType":"vector","result":[]}})")})
    EXPECT_FALSE(read_result(text)) << text;
}

TEST(QueryResult, ABoundOnTheNumberOfIds) {
  std::string samples;
  for (int i = 0; i < 4; ++i)
    samples += fmt::format(R"({}{{"metric":{{"_id":"{}"}},"value":[1,"1"]}})", i ? "," : "", i);
  const auto refused = read_result(vector_of(samples));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the answer has more than 3 clusters");
}

// --- asking ---

class TargetingTest : public ::testing::Test {
 protected:
  TargetingTest() {
    graph = graph::testing::graph(
        {graph::testing::release("4.3.18"), graph::testing::release("4.3.19", {"4.3.18"})},
        graph::testing::data(
            {{"channels/a.yaml", graph::testing::channel("stable-4.3", {"4.3.18", "4.3.19"})},
             {"blocked-edges/a.yaml",
              "to: 4.3.19\nfrom: .*\nclusters:\n  promql: max by (_id) (subscription_labels{_id=\"\"})\n"}}));
    rules = targeting.adopt(*graph);
  }
  ~TargetingTest() override { (void)loop.block_on(stop()); }

  Task<void> stop() {
    co_await tasks.stop();
    co_return Result<void>{};
  }
  Task<ClusterIds> ask(std::string query) {
    asked.push_back(std::move(query));
    ++in_flight;
    most_in_flight = std::max(most_in_flight, in_flight);
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, 1s));
    --in_flight;
    if (failure) co_return std::unexpected(*failure);
    co_return ClusterIds{.ids = set_of({{kAllowed, IdVerdict::Allowed}, {kBlocked, IdVerdict::Blocked}})};
  }
  Task<void> refreshed(std::vector<graph::RuleId> expired) {
    co_await targeting.refresh(rules, std::move(expired));
    co_return Result<void>{};
  }
  // What a request does: judge, ask if that helps, judge again.
  std::vector<graph::RuleId> decide(std::string_view id) {
    const std::vector<graph::RuleId> all{0};
    const auto verdicts = targeting.verdicts(rules, all, key_of(id));
    if (verdicts.expired.empty()) return verdicts.allowed;
    async::TaskGroup waiting(loop.executor());
    waiting.spawn("one", refreshed(verdicts.expired));
    waiting.spawn("two", refreshed(verdicts.expired));
    loop.run_until_idle();
    clock.advance(1s);
    loop.run_until_idle();
    EXPECT_EQ(waiting.size(), 0U);
    return targeting.verdicts(rules, all, key_of(id)).allowed;
  }

  async::EventLoop loop;
  ManualClock clock;
  metrics::Registry registry;
  async::TaskGroup tasks{loop.executor()};
  std::vector<std::string> asked;
  int in_flight = 0;
  int most_in_flight = 0;
  std::optional<Error> failure;
  Targeting targeting{[this](std::string query) { return ask(std::move(query)); },
                      {.allowed = 1h, .blocked = 24h, .unknown = 30min, .failure = 30s, .least_pause = 10s},
                      clock,
                      tasks,
                      registry};
  std::shared_ptr<const graph::Graph> graph;
  Rules rules;
};

TEST_F(TargetingTest, Case75And80AsksOnceForManyAndKeepsTheAnswer) {
  EXPECT_EQ(decide(kAllowed), (std::vector<graph::RuleId>{0}));
  EXPECT_EQ(decide(kBlocked), std::vector<graph::RuleId>{});
  EXPECT_EQ(decide(kStranger), std::vector<graph::RuleId>{});
  EXPECT_EQ(asked.size(), 1U);
  EXPECT_EQ(most_in_flight, 1);
  EXPECT_EQ(asked.front(), "max by (_id) (subscription_labels{_id!=\"\"})");
}

TEST_F(TargetingTest, Case80AnUnknownIdIsAskedAboutAgainAfterItsShorterLifetime) {
  decide(kAllowed);
  clock.advance(31min);
  EXPECT_EQ(decide(kAllowed), (std::vector<graph::RuleId>{0}));
  EXPECT_EQ(asked.size(), 1U);
  decide(kStranger);
  EXPECT_EQ(asked.size(), 2U);
}

TEST_F(TargetingTest, Case81RandomIdsCostOneQuery) {
  for (int i = 0; i < 10'000; ++i) decide(fmt::format("random-{}", i));
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(TargetingTest, Case77AFailureBlocksAllAndIsAskedAgainAfterAPause) {
  failure = Error{ErrorCode::Unavailable, "down"};
  EXPECT_EQ(decide(kAllowed), std::vector<graph::RuleId>{});
  EXPECT_EQ(decide(kAllowed), std::vector<graph::RuleId>{});
  EXPECT_EQ(asked.size(), 1U);
  EXPECT_EQ(targeting.failures().size(), 1U);
  EXPECT_NE(registry.expose().find("fairway_update_service_targeted_failing_rules 1"), std::string::npos);
  failure.reset();
  clock.advance(30s);
  EXPECT_EQ(decide(kAllowed), (std::vector<graph::RuleId>{0}));
  EXPECT_TRUE(targeting.failures().empty());
}

TEST_F(TargetingTest, AFailedRefreshBlocksAlsoThoseThatWereAllowed) {
  decide(kAllowed);
  failure = Error{ErrorCode::Timeout, "slow"};
  clock.advance(30min);
  decide(kStranger);
  EXPECT_EQ(decide(kAllowed), std::vector<graph::RuleId>{});
}

TEST_F(TargetingTest, TheNextGraphKeepsTheAnswersOfItsQueries) {
  decide(kAllowed);
  rules = targeting.adopt(*graph);
  EXPECT_EQ(decide(kAllowed), (std::vector<graph::RuleId>{0}));
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(TargetingTest, WarmUpAsksWhatHasNoAnswer) {
  targeting.warm_up(rules);
  loop.run_until_idle();
  clock.advance(1s);
  loop.run_until_idle();
  EXPECT_EQ(asked.size(), 1U);
  EXPECT_EQ(decide(kAllowed), (std::vector<graph::RuleId>{0}));
  targeting.warm_up(rules);
  EXPECT_EQ(asked.size(), 1U);
}

TEST(RateLimit, EachSourceHasItsOwnBudget) {
  RateLimit limit(2);
  http::PeerAddress one;
  one.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
  http::PeerAddress two = one;
  two.bytes[15] = 2;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(limit.allows(one, SteadyTime{1s}));
  EXPECT_FALSE(limit.allows(one, SteadyTime{1s}));
  EXPECT_TRUE(limit.allows(two, SteadyTime{1s}));
  EXPECT_TRUE(limit.allows(one, SteadyTime{1500ms}));
  EXPECT_FALSE(limit.allows(one, SteadyTime{1500ms}));
  RateLimit none(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(none.allows(one, SteadyTime{}));
}

}  // namespace
}  // namespace fairway::updateservice
