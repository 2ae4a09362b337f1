#include "promql/evaluator.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "promql/parser.hpp"
#include "promql/series_store.hpp"

namespace fairway::promql {
namespace {

using namespace std::chrono_literals;

Expr query(std::string_view text) {
  auto expr = parse(text, ParseOptions::all_enabled());
  if (!expr) throw std::runtime_error(expr.error().describe(text));
  return *std::move(expr);
}

// `count` series of one metric, one sample each second from 0 to `seconds`.
SeriesStore make_store(std::size_t count, Millis seconds) {
  SeriesStore store;
  for (std::size_t i = 0; i < count; ++i) {
    const Labels labels = Labels::from({{"__name__", "m"}, {"i", std::to_string(i)}});
    for (Millis second = 0; second <= seconds; ++second) (void)store.add(labels, {second * 1000, 1.0});
  }
  store.settle();
  return store;
}

std::string refusal(std::string_view text, const SeriesStore& store, const EvalOptions& options) {
  const auto result = evaluate_instant(query(text), store, 60'000, options);
  return result ? "no error" : result.error().message;
}

TEST(EvalLimits, SamplesHeldAtOnce) {
  const SeriesStore store = make_store(100, 60);
  EXPECT_EQ(refusal("m", store, {.limits = {.max_samples = 50}}),
            "the query holds 51 samples at once, more than the limit of 50 samples: select fewer series or a "
            "shorter range");
  EXPECT_EQ(refusal("sum(m)", store, {.limits = {.max_samples = 101}}), "no error");
  // A range is looked at series by series and never copied.
  EXPECT_EQ(refusal("sum(max_over_time(m[1m]))", store, {.limits = {.max_samples = 101}}), "no error");
  EXPECT_EQ(
      refusal("m[1m]", store, {.limits = {.max_samples = 5'000}}),
      "the query holds 5040 samples at once, more than the limit of 5000 samples: select fewer series or a "
      "shorter range");
}

TEST(EvalLimits, SubqueriesCannotHaveAnyNumberOfSteps) {
  const SeriesStore store = make_store(1, 1);
  EXPECT_EQ(
      refusal("sum_over_time(vector(1)[1y:1ms])", store, {}),
      "the subquery has 31536000000 steps, more than the limit of 1000000 samples: choose a longer step or "
      "a shorter range");
}

TEST(EvalLimits, LabelsCannotGrowWithoutBound) {
  SeriesStore store;
  ASSERT_TRUE(store.add(Labels::from({{"__name__", "m"}, {"a", "0123456789"}}), {0, 1}));
  std::string text = "m";
  for (int i = 0; i < 40; ++i) text = fmt::format("label_join({}, \"a\", \"\", \"a\", \"a\")", text);
  EXPECT_NE(refusal(text, store, {}).find("more than the limit of 65536 bytes a series"), std::string::npos);
}

TEST(EvalLimits, Memory) {
  const SeriesStore store = make_store(100, 1);
  EXPECT_NE(
      refusal("m * 2", store, {.limits = {.max_bytes = 1000}}).find("more than the limit of 1000 bytes"),
      std::string::npos);
}

TEST(EvalLimits, Depth) {
  const SeriesStore store;
  const std::string text = std::string(70, '(') + "1" + std::string(70, ')');
  EXPECT_EQ(refusal(text, store, {}), "the query nests 71 deep, deeper than the limit of 64");
  EXPECT_EQ(refusal(std::string(60, '-') + "1", store, {}), "no error");
}

TEST(EvalLimits, StepsOfARangeQuery) {
  const auto result = evaluate_range(query("1"), SeriesStore{}, {0, 100'000'000, 1000});
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().message,
      "the range has 100001 steps, more than the limit of 11000: choose a longer step or a shorter range");
}

// Moves on by a millisecond whenever it is asked.
class TickingClock final : public Clock {
 public:
  WallTime now() const override { return {}; }
  SteadyTime steady() const override {
    steady_ += 1ms;
    return steady_;
  }

 private:
  mutable SteadyTime steady_{};
};

TEST(EvalLimits, TimeIsLookedAtOnTheWay) {
  const SeriesStore store = make_store(100, 600);
  const TickingClock clock;
  EvalOptions options{.limits = {.max_time = 2ms}, .clock = &clock};
  const auto result = evaluate_instant(query("sum_over_time(m[10m])"), store, 600'000, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Timeout);
  EXPECT_EQ(
      result.error().message,
      "the evaluation has taken 3ms, more than the limit of 2ms: select fewer series or a shorter range");
  options.limits.max_time = 1h;
  EXPECT_TRUE(evaluate_instant(query("sum_over_time(m[10m])"), store, 600'000, options));
}

TEST(EvalLimits, CanBeCancelled) {
  const SeriesStore store = make_store(100, 600);
  const EvalOptions options{.cancelled = [] { return true; }};
  const auto result = evaluate_instant(query("sum_over_time(m[10m])"), store, 600'000, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Cancelled);
}

TEST(Evaluator, SamplesAreReleasedOnTheWay) {
  const SeriesStore store = make_store(100, 1);
  const auto result = evaluate_instant(query("sum(m) + sum(m) + sum(m)"), store, 1000);
  ASSERT_TRUE(result);
  EXPECT_LE(result->peak_samples, 110u);
}

TEST(Evaluator, RangeQueriesAreOfScalarsAndVectors) {
  for (const char* text : {"m[5m]", "\"text\""}) {
    const auto result = evaluate_range(query(text), SeriesStore{}, {0, 1000, 1000});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("for range query, must be Scalar or instant Vector"),
              std::string::npos);
  }
  EXPECT_FALSE(evaluate_range(query("1"), SeriesStore{}, {0, 1000, 0}));
  EXPECT_FALSE(evaluate_range(query("1"), SeriesStore{}, {1000, 0, 1}));
}

TEST(Evaluator, TimesFarAwayAreHarmless) {
  const SeriesStore store = make_store(1, 1);
  EXPECT_TRUE(evaluate_instant(query("m @ 9e12"), store, 0)->series.empty());
  EXPECT_TRUE(evaluate_instant(query("rate(m[100y] offset 100y)"), store, 0)->series.empty());
  EXPECT_FALSE(evaluate_instant(query("m"), store, std::numeric_limits<Millis>::max()));
  EXPECT_FALSE(evaluate_instant(query("m"), store, std::numeric_limits<Millis>::min()));
}

TEST(Evaluator, AnnotationsNameTheirPlace) {
  SeriesStore store;
  for (Millis t = 0; t < 5; ++t) (void)store.add(Labels::from({{"__name__", "gauge"}}), {t * 1000, 1.0});
  const std::string text = "1 +\n  rate(gauge[5m])";
  const auto result = evaluate_instant(query(text), store, 5000);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->annotations.size(), 1u);
  EXPECT_EQ(describe(result->annotations[0], text),
            "PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "
            "\"gauge\" (2:8)");
}

// Differences that only show before names are dropped at the end.
TEST(Evaluator, NamesMayBeDroppedLate) {
  SeriesStore store;
  ASSERT_TRUE(store.add(Labels::from({{"__name__", "a"}, {"i", "1"}}), {0, 1}));
  ASSERT_TRUE(store.add(Labels::from({{"__name__", "b"}, {"i", "1"}}), {0, 2}));
  const Expr expr = query("sum by (__name__, i) ({i=\"1\"} * 2)");
  EXPECT_FALSE(evaluate_instant(expr, store, 0));  // two series without a name have the same labels
  const auto late = evaluate_instant(expr, store, 0, {.delayed_name_removal = true});
  EXPECT_FALSE(late);  // at the end they still have
  const auto renamed = evaluate_instant(query("label_replace(abs(a), \"__name__\", \"c\", \"\", \"\")"),
                                        store, 0, {.delayed_name_removal = true});
  ASSERT_TRUE(renamed);
  EXPECT_EQ(renamed->series.at(0).labels.to_metric(), "c{i=\"1\"}");
}

// A series that keeps its name and one that will lose it are two, though they are still called the same.
TEST(Evaluator, NamesDroppedLateAreNotKeptByANamesake) {
  SeriesStore store;
  const Labels labels = Labels::from({{"__name__", "a"}, {"i", "1"}});
  ASSERT_TRUE(store.add(labels, {0, 4}));
  ASSERT_TRUE(store.add(labels, {60'000, 9}));
  ASSERT_TRUE(store.add(labels, {120'000, 9}));
  const auto result =
      evaluate_range(query("a < 9 or sqrt(a)"), store, {0, 120'000, 60'000}, {.delayed_name_removal = true});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->series.size(), 2u);
  EXPECT_EQ(result->series[0], (ResultSeries{labels, {{0, 4}}}));
  EXPECT_EQ(result->series[1], (ResultSeries{labels.without_name(), {{60'000, 3}, {120'000, 3}}}));
}

}  // namespace
}  // namespace fairway::promql
