#include "promql/promqltest.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "promql/functions.hpp"
#include "promql/promqltest_series.hpp"
#include "promql/sample.hpp"
#include "promql/types.hpp"

namespace fairway::promql {
namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(FAIRWAY_SOURCE_DIR) / "tests" / "corpus" / "promql";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream input(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

std::vector<std::filesystem::path> corpus_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public testing::TestWithParam<std::filesystem::path> {};

// Names dropped late, as Prometheus' own tests have it, and at once, as its engine does by default.
TEST_P(Corpus, HoldsWhetherNamesAreDroppedLateOrAtOnce) {
  const std::string text = read_file(GetParam());
  for (const bool late : {true, false}) {
    const TestReport report = run_promqltest(text, {.delayed_name_removal = late});
    EXPECT_GT(report.passed, 0u);
    for (const TestFailure& failure : report.failures) {
      ADD_FAILURE() << GetParam().filename() << ":" << failure.line << (late ? " (late)" : " (at once)")
                    << ": " << failure.text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Corpus, testing::ValuesIn(corpus_files()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(CorpusCoverage, NamesEveryFunctionAndAggregator) {
  std::string all;
  for (const auto& file : corpus_files()) all += read_file(file);
  for (const Function& function : all_functions()) {
    EXPECT_NE(all.find(std::string(function.name) + "("), std::string::npos) << function.name;
  }
  for (int op = 0; op <= static_cast<int>(AggregateOp::LimitRatio); ++op) {
    const std::string name(to_string(static_cast<AggregateOp>(op)));
    EXPECT_NE(all.find(name + "("), std::string::npos) << name;
  }
}

TEST(Promqltest, CountsPassedAndFailed) {
  const TestReport report = run_promqltest(R"(
load 1m
  x 1 2 3

eval instant at 1m x
  x 2

eval instant at 1m x
  x 5

eval instant at 1m y
)");
  EXPECT_EQ(report.passed, 2u);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].line, 8u);
  EXPECT_EQ(report.failures[0].text, "eval instant at 1m x: expected 5 for x but got 2");
}

struct Case {
  const char* name;
  const char* commands;
  const char* failure;  // what the only failure's text contains
};

class FailingCommand : public testing::TestWithParam<Case> {};

TEST_P(FailingCommand, SaysWhatIsWrong) {
  const TestReport report = run_promqltest(
      std::string("load 1m\n  x{a=\"1\"} 1 2 3\n  x{a=\"2\"} 4 5 6\n\n") + GetParam().commands);
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures[0].line, 5u);
  EXPECT_NE(report.failures[0].text.find(GetParam().failure), std::string::npos) << report.failures[0].text;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FailingCommand,
    testing::Values(
        Case{"Unexpected", "eval instant at 0 x\n  x{a=\"1\"} 1", "unexpected metric x{a=\"2\"} in result"},
        Case{"Missing", "eval instant at 0 x{a=\"1\"}\n  x{a=\"1\"} 1\n  x{a=\"9\"} 1",
             "x{a=\"9\"} not found"},
        Case{"Order", "eval_ordered instant at 0 sort(x)\n  x{a=\"2\"} 4\n  x{a=\"1\"} 1", "at position"},
        Case{"NoError", "eval_fail instant at 0 x", "expected error"},
        Case{"OtherError", "eval instant at 0 x + on() x\n  expect fail msg: something else",
             "but got: found dup"},
        Case{"Error", "eval instant at 0 x + on() x", "error evaluating query: found duplicate series"},
        Case{"SyntaxError", "eval instant at 0 x +\n  {} 1", "parse error"},
        Case{"Range", "eval range from 0 to 2m step 1m sum(x)\n  {} 5 7 8", "expected 5 @[0] 7 @[60000] 8"},
        Case{"Scalar", "eval instant at 0 1\n  2", "expected scalar 2 but got 1"},
        Case{"ScalarForVector", "eval instant at 0 sum(x)\n  5", "expected scalar result"},
        Case{"Text", "eval instant at 0 \"a\"\n  expect string \"b\"", "expected string"},
        Case{"NoWarning", "eval_warn instant at 0 sum(x)\n  {} 5", "expected warn annotations"},
        Case{"Warning", "eval instant at 0 quantile(2, x)\n  expect no_warn\n  {} +Inf", "unexpected warn"},
        Case{"OtherInfo", "eval instant at 2m rate(x{a=\"1\"}[5m])\n  expect info msg: no\n  {a=\"1\"} 0.01",
             "expected info annotation"},
        Case{"ManyValues", "eval instant at 0 x{a=\"1\"}\n  x{a=\"1\"} 1 2", "multiple values"},
        Case{"UnknownCommand", "evaluate x", "found \"evaluate\""},
        Case{"Nonsense", "do something", "expected load, clear or eval"},
        Case{"Histogram", "load 1m\n  h {{schema:0 sum:5 count:4 buckets:[1 2 1]}}", "native histograms"},
        Case{"Nhcb", "load_with_nhcb 1m\n  h_bucket{le=\"1\"} 1", "native histograms are not supported"}),
    [](const auto& info) { return info.param.name; });

TEST(SeriesNotation, ReadsEveryForm) {
  const auto line =
      parse_series_line("m{a=\"b c\",d=\"}\"} 1 2.5 _ _x2 3x2 0+10x2 5-1.5x2 stale NaN -Inf 1e3 +7");
  ASSERT_TRUE(line) << line.error().describe();
  EXPECT_EQ(line->labels.to_string(), "{__name__=\"m\", a=\"b c\", d=\"}\"}");
  std::string values;
  for (const SequenceValue& value : line->values) {
    values += value.omitted ? "_ " : is_stale(value.value) ? "stale " : format_value(value.value) + " ";
  }
  EXPECT_EQ(values, "1 2.5 _ _ _ 3 3 3 0 10 20 5 3.5 2 stale NaN -Inf 1000 7 ");
}

TEST(SeriesNotation, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(parse_series_line("m{a=~\"b\"} 1"));
  EXPECT_FALSE(parse_series_line("m 1 two"));
  EXPECT_FALSE(parse_series_line("m 1x999999999999"));
  EXPECT_FALSE(parse_series_line("m 1+2"));
  EXPECT_FALSE(parse_series_line("m{a=\"b\" 1"));
}

TEST(AlmostEqual, ComparesAsPrometheusDoes) {
  EXPECT_TRUE(almost_equal(1, 1.0000001, 1e-6));
  EXPECT_FALSE(almost_equal(1, 1.00001, 1e-6));
  EXPECT_TRUE(almost_equal(kNaN, kNaN, 1e-6));
  EXPECT_FALSE(almost_equal(kNaN, stale_marker(), 1e-6));
  EXPECT_FALSE(almost_equal(0, 1e-9, 1e-6));
  EXPECT_TRUE(almost_equal(kInf, kInf, 1e-6));
}

}  // namespace
}  // namespace fairway::promql
