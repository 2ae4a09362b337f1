#include "promql/explain.hpp"

#include <gtest/gtest.h>

#include "promql/parser.hpp"
#include "promql/series_store.hpp"

namespace fairway::promql {
namespace {

class Explain : public testing::Test {
 protected:
  Explain() {
    for (int i = 0; i < 3; ++i) {
      const Labels labels = Labels::from({{"__name__", "up"}, {"i", std::to_string(i)}});
      for (Millis t = 0; t <= 60; t += 10) (void)store.add(labels, {t * 1000, i == 0 ? 0.0 : 1.0});
    }
    store.settle();
  }

  SeriesStore store;
};

TEST_F(Explain, ShowsTheValueOfEverySubExpression) {
  const Explanation explanation = explain(*parse("sum(up == 1) > 1 or 0 * group(up)"), store, 60'000);
  ASSERT_TRUE(explanation.result);
  EXPECT_EQ(to_text(explanation.tree),
            "sum(up == 1) > 1 or 0 * group(up)\n"
            "  => {} 2\n"
            "  sum(up == 1) > 1\n"
            "    => {} 2\n"
            "    sum(up == 1)\n"
            "      => {} 2\n"
            "      up == 1\n"
            "        => up{i=\"1\"} 1\n"
            "        => up{i=\"2\"} 1\n"
            "        up\n"
            "          => up{i=\"0\"} 0\n"
            "          => up{i=\"1\"} 1\n"
            "          => up{i=\"2\"} 1\n"
            "        1\n"
            "          => 1\n"
            "    1\n"
            "      => 1\n"
            "  0 * group(up)\n"
            "    => {} 0\n"
            "    0\n"
            "      => 0\n"
            "    group(up)\n"
            "      => {} 1\n"
            "      up\n"
            "        => up{i=\"0\"} 0\n"
            "        => up{i=\"1\"} 1\n"
            "        => up{i=\"2\"} 1\n");
}

TEST_F(Explain, CountsWhatItDoesNotShowAndWhatRangesHold) {
  const Explanation explanation =
      explain(*parse("count(max_over_time(up[30s])) + count(nothing)"), store, 60'000, {.max_series = 1});
  EXPECT_EQ(to_text(explanation.tree),
            "count(max_over_time(up[30s])) + count(nothing)\n"
            "  => no series\n"
            "  count(max_over_time(up[30s]))\n"
            "    => {} 3\n"
            "    max_over_time(up[30s])\n"
            "      => {i=\"0\"} 0\n"
            "      => and 2 more\n"
            "      up[30s]\n"
            "        => 9 samples of 3 series\n"
            "  count(nothing)\n"
            "    => no series\n"
            "    nothing\n"
            "      => no series\n");
}

TEST_F(Explain, ShowsWhatWasReachedBeforeAnError) {
  const Explanation explanation = explain(*parse("up + on () up"), store, 60'000);
  EXPECT_FALSE(explanation.result);
  EXPECT_FALSE(explanation.tree.is_evaluated);
  ASSERT_EQ(explanation.tree.children.size(), 2u);
  EXPECT_EQ(explanation.tree.children[0].series_count, 3u);
}

TEST_F(Explain, IsAlsoJson) {
  const Explanation explanation = explain(*parse("-up{i=\"1\"}"), store, 60'000);
  EXPECT_EQ(json::serialize(to_json(explanation.tree)),
            R"({"expr":"-up{i=\"1\"}","type":"vector","seriesCount":1,)"
            R"("series":[{"metric":{"i":"1"},"value":[60,"-1"]}],"children":[)"
            R"({"expr":"up{i=\"1\"}","type":"vector","seriesCount":1,)"
            R"("series":[{"metric":{"__name__":"up","i":"1"},"value":[60,"1"]}]}]})");
}

}  // namespace
}  // namespace fairway::promql
