#include "promql/lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "promql/lint_rules.hpp"

namespace fairway::promql {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> ids(std::string_view text, const LintOptions& options = {}) {
  std::vector<std::string> out;
  for (const Finding& finding : lint(text, options).findings) out.push_back(finding.id);
  return out;
}

const Finding* find(const LintReport& report, std::string_view id) {
  for (const Finding& finding : report.findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

constexpr std::string_view kGood =
    "group(cluster_operator_conditions{name=\"aro\"}) or 0 * group(cluster_operator_conditions)";

TEST(Lint, FindsNothingInAGoodRisk) {
  EXPECT_THAT(ids(kGood), IsEmpty());
  EXPECT_TRUE(lint(kGood).at_most_one_series);
}

TEST(Lint, SyntaxErrorsAreErrors) {
  const LintReport report = lint("group(");
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, kSyntaxError);
  EXPECT_EQ(report.findings[0].message, "unclosed left parenthesis");
  EXPECT_EQ(report.findings[0].span.start, 6U);
  EXPECT_TRUE(report.has_errors());
  EXPECT_FALSE(report.expr.has_value());
}

TEST(Lint, RefusalsByLimitAreErrors) {
  const LintReport report = lint("group(max_over_time(a[2d])) or 0 * group(b)");
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, kLimit);
  EXPECT_THAT(report.findings[0].message, HasSubstr("at most 1d, found 2d"));
}

TEST(Lint, TheResultMustBeAVector) {
  EXPECT_THAT(ids("1 + 1"), Contains(kResultType));
  EXPECT_THAT(ids("a[5m]"), Contains(kResultType));
  EXPECT_THAT(ids("vector(1)"), Not(Contains(kResultType)));
}

struct SeriesCase {
  std::string_view query;
  bool proven;
};

class AtMostOneSeries : public testing::TestWithParam<SeriesCase> {};

TEST_P(AtMostOneSeries, IsProvenWhereItHolds) {
  EXPECT_EQ(lint(GetParam().query).at_most_one_series, GetParam().proven) << GetParam().query;
  const auto found = ids(GetParam().query);
  EXPECT_EQ(std::ranges::find(found, kManySeries) == found.end(), GetParam().proven) << GetParam().query;
}

INSTANTIATE_TEST_SUITE_P(
    Proven, AtMostOneSeries,
    testing::Values(
        SeriesCase{"group(a)", true}, SeriesCase{"max(a) > 0", true}, SeriesCase{"vector(1)", true},
        SeriesCase{"topk(1, a)", true}, SeriesCase{"bottomk(1, a)", true}, SeriesCase{"-sum(a)", true},
        SeriesCase{"group by (x) (a{x=\"1\"})", true}, SeriesCase{"group by (_id) (a{_id=\"\"})", true},
        SeriesCase{"topk by (x) (1, a{x=\"1\"})", true}, SeriesCase{"group(a) or group(b)", true},
        SeriesCase{"group by (x) (a{x=\"1\"}) or on () group(b)", true},
        SeriesCase{"group by (x) (a{x=\"1\"}) or on (_id) 0 * group(b)", true},
        SeriesCase{"group by (x) (a{x=\"1\"}) or group by (x) (b{x=\"1\"})", true},
        SeriesCase{"group by (x) (a{x=\"1\"}) or ignoring (x) group by (x) (b{x=\"2\"})", true},
        SeriesCase{"max(a) * on () group_left () group(b)", true}, SeriesCase{"a * on () b", true},
        SeriesCase{"a and on () b", false}, SeriesCase{"group(a) and on () b", true},
        SeriesCase{"group by (y) (label_replace(a, \"y\", \"on\", \"\", \"\"))", true},
        SeriesCase{"group by (y) (label_join(a{x=\"1\"}, \"y\", \"-\", \"x\", \"x\"))", true},
        SeriesCase{"absent(a)", true}, SeriesCase{"abs(group(a))", true}, SeriesCase{"hour()", true},
        SeriesCase{"group without (x) (group(a))", true}));

INSTANTIATE_TEST_SUITE_P(
    Open, AtMostOneSeries,
    testing::Values(SeriesCase{"a", false}, SeriesCase{"rate(a[5m])", false}, SeriesCase{"topk(2, a)", false},
                    SeriesCase{"group by (x) (a)", false}, SeriesCase{"group without (x) (a)", false},
                    SeriesCase{"topk by (x) (1, a)", false}, SeriesCase{"count_values(\"v\", a)", false},
                    SeriesCase{"group by (x) (a{x=\"1\"}) or group(b)", false},
                    SeriesCase{"group by (x) (a{x=\"1\"}) or group by (x) (b{x=\"2\"})", false},
                    SeriesCase{"topk(1, a) or topk(1, b)", false},
                    SeriesCase{"topk(1, a) or on (x) topk(1, b)", false},
                    SeriesCase{"a * on (x) group_left () group(b)", false}, SeriesCase{"a * b", false},
                    SeriesCase{"group by (y) (label_replace(a, \"y\", \"$1\", \"x\", \"(.*)\"))", false},
                    SeriesCase{"group by (x) (a{x=~\"1|2\"})", false},
                    SeriesCase{"group by (x) (a{x!=\"1\"})", false}, SeriesCase{"a or vector(0)", false}));

TEST(Lint, SaysWhereTheManySeriesComeFrom) {
  const LintReport report = lint("group(a) or 0 * group by (type) (b)");
  const Finding* finding = find(report, kManySeries);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->span, (Span{16, 35}));
  EXPECT_THAT(finding->message, HasSubstr("a series for each value of type"));
  const LintReport sides = lint("group by (x) (a{x=\"1\"}) or group(b)");
  ASSERT_NE(find(sides, kManySeries), nullptr);
  EXPECT_THAT(find(sides, kManySeries)->message, HasSubstr("their labels can differ in x"));
}

struct ValueCase {
  std::string_view query;
  bool boolean;
};

class BooleanValue : public testing::TestWithParam<ValueCase> {};

TEST_P(BooleanValue, IsProvenWhereItHolds) {
  const auto found = ids(GetParam().query);
  EXPECT_EQ(std::ranges::find(found, kNotBoolean) == found.end(), GetParam().boolean) << GetParam().query;
}

INSTANTIATE_TEST_SUITE_P(
    All, BooleanValue,
    testing::Values(ValueCase{"group(a)", true}, ValueCase{"0 * group(a)", true},
                    ValueCase{"max(a == bool 3)", true}, ValueCase{"max(a == 1) or 0 * group(a)", true},
                    ValueCase{"max(a) == 0", true}, ValueCase{"1 == max(a)", true},
                    ValueCase{"count(group(a))", true}, ValueCase{"absent(a)", true},
                    ValueCase{"1 - group(a)", true}, ValueCase{"group(a) * group(b)", true},
                    ValueCase{"group(a) unless on () b", true}, ValueCase{"max(a) and on () b", false},
                    ValueCase{"max(a)", false}, ValueCase{"0 * max(a)", false},
                    ValueCase{"0 * max(a == 1)", true}, ValueCase{"count(a)", false},
                    ValueCase{"group(a) + group(b)", false}, ValueCase{"sum(group by (x) (a))", false},
                    ValueCase{"max(a) > 0", false}, ValueCase{"-group(a)", false},
                    ValueCase{"group(a) or max(b)", false}, ValueCase{"sgn(max(a))", false},
                    ValueCase{"group(a) / 0", false}));

TEST(Lint, TellsNaNFromOtherValues) {
  const LintReport report = lint("group(a) or 0 * max(b)");
  ASSERT_NE(find(report, kNotBoolean), nullptr);
  EXPECT_THAT(find(report, kNotBoolean)->message, HasSubstr("can be NaN"));
  EXPECT_EQ(find(report, kNotBoolean)->span, (Span{12, 22}));
}

TEST(Lint, WantsABranchThatYieldsZero) {
  EXPECT_THAT(ids("group(a)"), Contains(kNoZero));
  EXPECT_THAT(ids("max(a) == 1"), Contains(kNoZero));
  EXPECT_THAT(ids(kGood), Not(Contains(kNoZero)));
  EXPECT_THAT(ids("max(a == bool 1)"), Not(Contains(kNoZero)));
}

// The mistake that shipped: an equality with an alternation can never match.
TEST(Lint, FindsARegularExpressionInAnEquality) {
  const LintReport report =
      lint("group by (type) (cluster_infrastructure_provider{_id=\"\",type=\"AWS|GCP\"})");
  const Finding* finding = find(report, kRegexInEquality);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->fix, "write type=~\"AWS|GCP\"");
  EXPECT_EQ(finding->span, (Span{56, 70}));
  for (const std::string_view value : {"AWS|GCP", "4[.]1.*", "^a", "a$", "a\\.b", "[0-9]+", "v.+"}) {
    EXPECT_TRUE(looks_like_regex(value)) << value;
  }
  for (const std::string_view value :
       {"", "AWS", "egressips.k8s.ovn.org", "a-b_c:8080/x", "$", "50%", "[x]", "C++", "a (b)"}) {
    EXPECT_FALSE(looks_like_regex(value)) << value;
  }
  EXPECT_THAT(ids("group(a{x=~\"AWS|GCP\"}) or 0 * group(a)"), Not(Contains(kRegexInEquality)));
}

TEST(Lint, FindsASelectorThatMatchesEverything) {
  EXPECT_THAT(ids("group({__name__=~\".+\"})"), Contains(kMatchesEverything));
  EXPECT_THAT(ids("group({job=\"x\"})"), Contains(kMatchesEverything));
  EXPECT_THAT(ids("group({__name__=~\"a.+\"})"), Not(Contains(kMatchesEverything)));
  EXPECT_THAT(ids("group({\"a\"})"), Not(Contains(kMatchesEverything)));
}

TEST(Lint, FindsRangesBeyondTheHistory) {
  LintOptions options;
  options.history = std::chrono::hours(1);
  EXPECT_THAT(ids("group(max_over_time(a[2h]))", options), Contains(kBeyondHistory));
  EXPECT_THAT(ids("group(max_over_time(a[1h] offset 1m))", options), Contains(kBeyondHistory));
  EXPECT_THAT(ids("group(max_over_time(a[1h]))", options), Not(Contains(kBeyondHistory)));
  EXPECT_THAT(ids("group(max_over_time(a[2h]))"), Not(Contains(kBeyondHistory)));
}

TEST(Lint, FindsMetricsThatAreNotKnown) {
  LintOptions options;
  options.known_metrics = {"cluster_installer"};
  const LintReport report = lint("group(cluster_instaler)", options);
  ASSERT_NE(find(report, kUnknownMetric), nullptr);
  EXPECT_THAT(find(report, kUnknownMetric)->fix, HasSubstr("cluster_installer"));
  EXPECT_THAT(ids("group({\"nothing\"})", options), Contains(kUnknownMetric));
  EXPECT_THAT(ids("group(cluster_installer)", options), Not(Contains(kUnknownMetric)));
  EXPECT_THAT(ids("group(cluster_instaler)"), Not(Contains(kUnknownMetric)));
}

}  // namespace
}  // namespace fairway::promql
