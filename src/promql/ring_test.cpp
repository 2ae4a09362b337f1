#include "promql/ring.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "promql/evaluator.hpp"
#include "promql/parser.hpp"

namespace fairway::promql {
namespace {

constexpr Millis kMinute = 60'000;

std::string answer(const SampleRing& ring, const char* query, Millis at) {
  const auto result = evaluate_instant(*parse(query), ring, at);
  if (!result) return result.error().message;
  std::string text;
  for (const ResultSeries& series : result->series) {
    text += series.labels.to_metric() + "=" + format_value(series.samples.front().value) + " ";
  }
  return text;
}

SampleRing ring_for(const char* query, const RingOptions& options = {}) {
  const std::vector<Expr> queries{*parse(query)};
  return *SampleRing::for_queries(queries, options);
}

TEST(SampleRing, KeepsOnlyWhatQueriesName) {
  SampleRing ring = ring_for("max_over_time(a{x=\"1\"}[1h]) or {__name__=\"b\"} unless on () c");
  EXPECT_EQ(ring.metrics(), (std::set<std::string, std::less<>>{"a", "b", "c"}));
  const auto added = ring.add(0, *read_exposition("a 1\nb 2\nd 3\nd{x=\"1\"} 3\n"));
  EXPECT_EQ(added.samples, 2u);
  EXPECT_EQ(added.ignored, 2u);
  EXPECT_EQ(ring.series_count(), 2u);
}

TEST(SampleRing, RefusesSelectorsOfAllMetrics) {
  const std::vector<Expr> queries{*parse("count({job=\"x\"})")};
  const auto ring = SampleRing::for_queries(queries);
  ASSERT_FALSE(ring);
  EXPECT_EQ(
      ring.error().message,
      "expected every selector to name its metric, found \"{job=\\\"x\\\"}\": all metrics would have to be "
      "kept");
}

TEST(SampleRing, AnswersForTheLastHour) {
  SampleRing ring = ring_for("max_over_time(m[1h])");
  for (Millis minute = 0; minute < 200; ++minute) {
    ring.add(minute * kMinute, *read_exposition(fmt::format("m {}\n", minute == 100 ? 1000 : minute)));
  }
  const Millis now = 199 * kMinute;
  EXPECT_EQ(answer(ring, "m", now), "m=199 ");
  EXPECT_EQ(answer(ring, "count_over_time(m[1h])", now), "{}=60 ");
  EXPECT_EQ(answer(ring, "min_over_time(m[1h])", now), "{}=140 ");
  EXPECT_EQ(answer(ring, "max_over_time(m[1h])", 160 * kMinute), "{}=160 ");
  EXPECT_EQ(answer(ring, "max_over_time(m[1h])", 159 * kMinute), "{}=159 ");
}

TEST(SampleRing, KeepsTheNewestOfEachInterval) {
  SampleRing ring = ring_for("m");
  for (Millis second = 0; second <= 120; second += 10) {
    ring.add(second * 1000, *read_exposition(fmt::format("m {}\n", second)));
  }
  EXPECT_EQ(answer(ring, "m", 120'000), "m=120 ");
  EXPECT_EQ(answer(ring, "sum_over_time(m[10m])", 120'000), "{}=280 ");  // 50, 110 and 120
}

TEST(SampleRing, SeriesThatGoAwayAreStaleAndForgottenLater) {
  SampleRing ring = ring_for("m");
  ring.add(0, *read_exposition("m{i=\"1\"} 1\nm{i=\"2\"} 2\n"));
  ring.add(kMinute, *read_exposition("m{i=\"2\"} 2\n"));
  EXPECT_EQ(answer(ring, "m", kMinute), "m{i=\"2\"}=2 ");
  EXPECT_EQ(answer(ring, "max_over_time(m[1h])", kMinute), "{i=\"1\"}=1 {i=\"2\"}=2 ");
  const std::size_t before = ring.bytes();
  ring.add(100 * kMinute, *read_exposition(""));
  EXPECT_EQ(ring.series_count(), 0u);
  EXPECT_LT(ring.bytes(), before);
  EXPECT_EQ(ring.bytes(), 0u);
}

TEST(SampleRing, NeverGrowsBeyondItsBound) {
  SampleRing ring = ring_for("m", {.max_bytes = 100'000});
  std::size_t dropped = 0;
  for (Millis minute = 0; minute < 120; ++minute) {
    std::string text;
    for (int i = 0; i < 500; ++i) text += fmt::format("m{{i=\"{}-{}\"}} 1\n", minute / 10, i);
    dropped += ring.add(minute * kMinute, *read_exposition(text)).dropped;
    EXPECT_LE(ring.bytes(), 100'000u);
  }
  EXPECT_GT(dropped, 0u);
  EXPECT_GT(ring.series_count(), 10u);
}

TEST(SampleRing, SamplesThatAreOlderThanWhatIsThereAreDropped) {
  SampleRing ring = ring_for("m");
  EXPECT_EQ(ring.add(0, *read_exposition("m 1 120000\n")).samples, 1u);
  EXPECT_EQ(ring.add(kMinute, *read_exposition("m 1 60000\n")).dropped, 1u);
}

}  // namespace
}  // namespace fairway::promql
