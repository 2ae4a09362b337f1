#include "base/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

namespace fairway::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, CountersAndGaugesInPrometheusText) {
  Registry registry;
  registry.gauge("b_gauge", "a level").with().set(-1.5);
  auto& total = registry.counter("a_total", "requests\nby \\ code", {"code", "verb"});
  total.with({"200", "get"}).add();
  total.with({"200", "get"}).add(2);
  total.with({"404", "a \"quoted\"\\\n"}).add();
  EXPECT_EQ(registry.expose(),
            "# HELP a_total requests\\nby \\\\ code\n"
            "# TYPE a_total counter\n"
            "a_total{code=\"200\",verb=\"get\"} 3\n"
            "a_total{code=\"404\",verb=\"a \\\"quoted\\\"\\\\\\n\"} 1\n"
            "# HELP b_gauge a level\n"
            "# TYPE b_gauge gauge\n"
            "b_gauge -1.5\n");
}

TEST(Metrics, HistogramBucketsAreCumulativeAndBoundsInclusive) {
  Registry registry;
  auto& seconds = registry.histogram("wait_seconds", "", {0.1, 1, 10}, {"queue"});
  for (double value : {0.05, 0.1, 0.5, 10.0, 11.0}) seconds.with({"q"}).observe(value);
  EXPECT_EQ(registry.expose(),
            "# TYPE wait_seconds histogram\n"
            "wait_seconds_bucket{queue=\"q\",le=\"0.1\"} 2\n"
            "wait_seconds_bucket{queue=\"q\",le=\"1\"} 3\n"
            "wait_seconds_bucket{queue=\"q\",le=\"10\"} 4\n"
            "wait_seconds_bucket{queue=\"q\",le=\"+Inf\"} 5\n"
            "wait_seconds_sum{queue=\"q\"} 21.65\n"
            "wait_seconds_count{queue=\"q\"} 5\n");
}

TEST(Metrics, UnusualNumbers) {
  Registry registry;
  auto& gauge = registry.gauge("g", "").with();
  const auto shown = [&](double value) {
    gauge.set(value);
    const std::string text = registry.expose();
    return text.substr(text.find("\ng ") + 3);
  };
  EXPECT_EQ(shown(std::numeric_limits<double>::infinity()), "+Inf\n");
  EXPECT_EQ(shown(-std::numeric_limits<double>::infinity()), "-Inf\n");
  EXPECT_EQ(shown(std::numeric_limits<double>::quiet_NaN()), "NaN\n");
  EXPECT_EQ(shown(1700000000), "1700000000\n");
  EXPECT_EQ(shown(0.001), "0.001\n");
  EXPECT_EQ(shown(1e300), "1e+300\n");
}

TEST(Metrics, AFamilyWithoutLabelsShowsZeroAndOneWithLabelsNothing) {
  Registry registry;
  registry.counter("plain_total", "");
  auto& labelled = registry.counter("labelled_total", "", {"x"});
  EXPECT_EQ(registry.expose(), "# TYPE plain_total counter\nplain_total 0\n");
  labelled.with({"1"}).add();
  EXPECT_THAT(registry.expose(), HasSubstr("labelled_total{x=\"1\"} 1"));
  labelled.remove({"1"});
  EXPECT_THAT(registry.expose(), Not(HasSubstr("labelled_total")));
}

TEST(Metrics, TheSameNameGivesTheSameFamily) {
  Registry registry;
  registry.counter("a_total", "", {"x"}).with({"1"}).add();
  EXPECT_EQ(registry.counter("a_total", "", {"x"}).with({"1"}).value(), 1);
}

TEST(MetricsDeathTest, ContradictionsAreDefects) {
  Registry registry;
  registry.counter("a_total", "", {"x"});
  EXPECT_DEATH(registry.gauge("a_total", "", {"x"}), "two types");
  EXPECT_DEATH(registry.counter("a_total", "", {"y"}), "two sets of labels");
  EXPECT_DEATH(registry.counter("a-b", ""), "letters, digits");
  EXPECT_DEATH(registry.counter("a_total", "", {"x"}).with({}), "one value for each label");
}

TEST(Metrics, CollectorsRunBeforeTheTextAndEndWithTheirHandle) {
  Registry registry;
  auto& gauge = registry.gauge("age_seconds", "").with();
  int calls = 0;
  auto handle = registry.on_collect([&] { gauge.set(++calls); });
  EXPECT_THAT(registry.expose(), HasSubstr("age_seconds 1\n"));
  EXPECT_THAT(registry.expose(), HasSubstr("age_seconds 2\n"));
  handle.reset();
  EXPECT_THAT(registry.expose(), HasSubstr("age_seconds 2\n"));
}

TEST(Metrics, ManyThreadsLoseNothing) {
  Registry registry;
  auto& family = registry.counter("n_total", "", {"t"});
  auto& histogram = registry.histogram("h", "", exponential_buckets(1, 2, 3)).with();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        family.with({std::to_string(i % 3)}).add();
        histogram.observe(i % 9);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(family.with({"0"}).value() + family.with({"1"}).value() + family.with({"2"}).value(), 4000);
  EXPECT_EQ(histogram.count(), 4000U);
  EXPECT_EQ(histogram.bounds(), (std::vector<double>{1, 2, 4}));
}

}  // namespace
}  // namespace fairway::metrics
