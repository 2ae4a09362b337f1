#include "promql/exposition.hpp"

#include <gtest/gtest.h>

namespace fairway::promql {
namespace {

std::string show(const Exposition& exposition) {
  std::string text;
  for (const ExposedSample& sample : exposition.samples) {
    text += sample.labels.to_metric() + " " + format_value(sample.value);
    if (sample.time) text += " @" + std::to_string(*sample.time);
    text += "\n";
  }
  return text;
}

TEST(Exposition, ReadsTheTextFormat) {
  const auto exposed = read_exposition(R"(# HELP http_requests_total The total, with "quotes" \n and more.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400",}    3 1395066363001

# A comment.
   spaced	{ a = "b" }	2.5e3
plain 1
msdos{path="C:\\DIR\\FILE.TXT",error="Cannot find \"file\"\nhere",odd="\x"} +Inf
minus -Inf
nan NaN
{"with.dot",le="0.5"} 7
{"quoted label"="x",__name__="by_label"} 8
)");
  ASSERT_TRUE(exposed) << exposed.error().describe();
  EXPECT_EQ(
      show(*exposed),
      "http_requests_total{code=\"200\", method=\"post\"} 1027 @1395066363000\n"
      "http_requests_total{code=\"400\", method=\"post\"} 3 @1395066363001\n"
      "spaced{a=\"b\"} 2500\n"
      "plain 1\n"
      "msdos{error=\"Cannot find \\\"file\\\"\\nhere\", odd=\"\\\\x\", path=\"C:\\\\DIR\\\\FILE.TXT\"} +Inf\n"
      "minus -Inf\n"
      "nan NaN\n"
      "{__name__=\"with.dot\", le=\"0.5\"} 7\n"
      "by_label{\"quoted label\"=\"x\"} 8\n");
  EXPECT_EQ(exposed->newest, 1395066363001);
}

TEST(Exposition, ReadsOpenMetrics) {
  const auto exposed = read_exposition(R"(# TYPE foo counter
# UNIT foo seconds
# HELP foo help
foo_total{a="1"} 17.0 1520879607.789 # {trace_id="KOO5S4vxi0o"} 0.67 1520879607.7
foo_created{a="1"} 1520430000.123
# TYPE bar histogram
bar_bucket{le="+Inf"} 3 # {} 1
# EOF
)");
  ASSERT_TRUE(exposed) << exposed.error().describe();
  EXPECT_EQ(show(*exposed),
            "foo_total{a=\"1\"} 17 @1520879607789\n"
            "foo_created{a=\"1\"} 1520430000.123\n"
            "bar_bucket{le=\"+Inf\"} 3\n");
}

struct Refusal {
  const char* text;
  const char* message;
};

class RefusedExposition : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedExposition, NamesLineAndColumn) {
  const auto exposed = read_exposition(GetParam().text);
  ASSERT_FALSE(exposed);
  EXPECT_EQ(exposed.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, RefusedExposition,
    testing::Values(
        Refusal{"a 1\nb\n", "line 2, column 2: expected a value, found the end of the line"},
        Refusal{"a one\n", "line 1, column 3: expected a number, found \"one\""},
        Refusal{"a 1 1.5\n", "line 1, column 5: expected a time in milliseconds since 1970, found \"1.5\""},
        Refusal{"a 1 2 3\n", "line 1, column 7: expected the end of the line, found \"3\""},
        Refusal{"a{b=\"c} 1\n", "line 1, column 5: expected a quote that closes this one"},
        Refusal{"a{b=c} 1\n", "line 1, column 5: expected a label value in quotes, found \"c\""},
        Refusal{"a{b \"c\"} 1\n", "line 1, column 5: expected \"=\" after a label name, found \"\\\"\""},
        Refusal{"a{=\"c\"} 1\n", "line 1, column 3: expected a label name, found \"=\""},
        Refusal{"a{b=\"c\" d=\"e\"} 1\n",
                "line 1, column 9: expected \",\" or \"}\" after a label, found \"d\""},
        Refusal{"a{b=\"c\",b=\"d\"} 1\n", "line 1, column 1: label \"b\" stands there twice"},
        Refusal{"{b=\"c\"} 1\n", "line 1, column 1: expected a metric name, found labels alone"},
        Refusal{"{b=\"c\",\"a\"} 1\n", "line 1, column 8: expected the metric name once, before the labels"},
        Refusal{"1a 1\n", "line 1, column 1: expected a metric name, found \"1\""},
        Refusal{"# TYPE a thing\n",
                "line 1, column 10: expected a metric type such as counter or gauge, found \"thing\""},
        Refusal{"a 1\n# EOF\nb 1\n# EOF\n", "line 3: expected nothing after \"# EOF\""},
        Refusal{"a 1 # {} 1\n", "line 1, column 5: expected the end of the line, found \"#\""},
        Refusal{"a{b=\"\xff\"} 1\n", "line 1: expected UTF-8, found other bytes"}));

TEST(Exposition, OpenMetricsMustEnd) {
  const auto exposed = read_exposition("a 1\n", {.format = ExpositionFormat::OpenMetrics});
  ASSERT_FALSE(exposed);
  EXPECT_EQ(exposed.error().message, "line 1: expected the text to end with \"# EOF\", as OpenMetrics does");
}

TEST(Exposition, LimitsNameBothNumbers) {
  EXPECT_EQ(read_exposition("abc 1\n", {.max_line_bytes = 4}).error().message,
            "line 1: 5 bytes, more than the limit of 4 bytes a line");
  EXPECT_EQ(read_exposition("a 1\nb 1\nc 1\n", {.max_samples = 2}).error().message,
            "line 3: more samples than the limit of 2");
  EXPECT_EQ(read_exposition("a 1\n", {.max_bytes = 2}).error().message,
            "metrics of 4 bytes, more than the limit of 2 bytes");
}

TEST(Exposition, SamplesWithoutTimeCountAsScrapedNow) {
  SeriesStore store;
  const auto exposed = read_exposition("a 1\na 2 1000\n");
  ASSERT_TRUE(exposed);
  ASSERT_TRUE(store_exposition(*exposed, 5000, store));
  const auto name = CompiledMatcher::compile(kMetricName, MatchOp::Equal, "a");
  const auto found = store.select({&*name, 1}, {0, 10'000});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  const std::vector<Sample> samples((*found)[0].samples.begin(), (*found)[0].samples.end());
  EXPECT_EQ(samples, (std::vector<Sample>{{1000, 2}, {5000, 1}}));
}

TEST(Exposition, OneSeriesCannotHaveTwoValuesAtOnce) {
  SeriesStore store;
  const auto exposed = read_exposition("a{b=\"c\"} 1\na{b=\"c\"} 1\na{b=\"c\"} 2\n");
  ASSERT_TRUE(exposed);
  const auto stored = store_exposition(*exposed, 5000, store);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().describe(), "line 3: a{b=\"c\"} has the values 1 and 2 at the same time, 5");
}

}  // namespace
}  // namespace fairway::promql
