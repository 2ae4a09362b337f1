#include "promql/series_store.hpp"

#include <gtest/gtest.h>

#include "promql/matcher.hpp"

namespace fairway::promql {
namespace {

struct MatchCase {
  MatchOp op;
  const char* pattern;
  const char* value;
  bool matches;
};

class MatcherShapes : public testing::TestWithParam<MatchCase> {};

// Literals, choices and prefixes take short ways that must answer as the engine would.
TEST_P(MatcherShapes, AnswerAsTheEngineDoes) {
  const auto& [op, pattern, value, expected] = GetParam();
  const auto matcher = CompiledMatcher::compile("l", op, pattern);
  ASSERT_TRUE(matcher);
  EXPECT_EQ(matcher->matches(value), expected) << pattern << " on " << value;
}

INSTANTIATE_TEST_SUITE_P(
    All, MatcherShapes,
    testing::Values(
        MatchCase{MatchOp::Equal, "a", "a", true}, MatchCase{MatchOp::Equal, "", "", true},
        MatchCase{MatchOp::NotEqual, "a", "", true}, MatchCase{MatchOp::Regex, "abc", "abc", true},
        MatchCase{MatchOp::Regex, "abc", "abcd", false}, MatchCase{MatchOp::Regex, "a|b|", "", true},
        MatchCase{MatchOp::Regex, "a|b", "b", true}, MatchCase{MatchOp::Regex, "a|b", "a|b", false},
        MatchCase{MatchOp::Regex, "4[.]1.*", "4.12", true},
        MatchCase{MatchOp::Regex, "4[.]1.*", "4x12", false},
        MatchCase{MatchOp::Regex, "4\\.1.*", "4.1\n", true},
        MatchCase{MatchOp::Regex, ".*", "anything", true}, MatchCase{MatchOp::Regex, ".+", "", false},
        MatchCase{MatchOp::Regex, "ab*", "abbb", true}, MatchCase{MatchOp::Regex, "a|b.*", "bcd", true},
        MatchCase{MatchOp::Regex, "(?i)ABC", "abc", true}, MatchCase{MatchOp::Regex, "[ab]", "b", true},
        MatchCase{MatchOp::Regex, "[^a]", "b", true}, MatchCase{MatchOp::Regex, "a.c", "a\nc", true},
        MatchCase{MatchOp::Regex, "(?<n>x)y", "xy", true}, MatchCase{MatchOp::Regex, "a{2}", "aa", true},
        MatchCase{MatchOp::Regex, "^abc$", "abc", true}, MatchCase{MatchOp::NotRegex, "a.*", "b", true},
        MatchCase{MatchOp::NotRegex, "a.*", "ab", false},
        MatchCase{MatchOp::NotRegex, "|rendered-master-.*", "", false}));

TEST(Matcher, RefusesABrokenPattern) {
  EXPECT_FALSE(CompiledMatcher::compile("l", MatchOp::Regex, "(a"));
}

Labels series(const char* name, const char* a) {
  return Labels::from({{std::string(kMetricName), name}, {"a", a}});
}

std::vector<CompiledMatcher> name_is(const char* name, MatchOp op = MatchOp::Equal) {
  return {*CompiledMatcher::compile(kMetricName, op, name)};
}

TEST(SeriesStore, FindsByNameSortedByLabels) {
  SeriesStore store;
  for (const char* a : {"3", "1", "2"}) ASSERT_TRUE(store.add(series("m", a), {10, 1}));
  ASSERT_TRUE(store.add(series("n", "1"), {10, 1}));
  for (const bool settled : {false, true}) {
    if (settled) store.settle();
    const auto found = store.select(name_is("m"), {0, 10});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 3u);
    EXPECT_EQ((*found)[0].labels, series("m", "1"));
    EXPECT_EQ((*found)[2].labels, series("m", "3"));
  }
  ASSERT_TRUE(store.add(series("m", "2"), {20, 5}));  // still the same series after sorting
  EXPECT_EQ(store.series_count(), 4u);
  EXPECT_EQ(store.sample_count(), 5u);
  EXPECT_EQ(store.select(name_is("m|n", MatchOp::Regex), {0, 10})->size(), 4u);
  EXPECT_TRUE(store.select(name_is("x"), {0, 10})->empty());
}

TEST(SeriesStore, SpansAreOpenOnTheLeftAndSamplesComeInAnyOrder) {
  SeriesStore store;
  for (const Millis time : {30, 10, 20, 40}) {
    ASSERT_TRUE(store.add(series("m", "1"), {time, static_cast<double>(time)}));
  }
  const auto found = store.select(name_is("m"), {10, 30});
  ASSERT_EQ(found->size(), 1u);
  const auto samples = (*found)[0].samples;
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].time, 20);
  EXPECT_EQ(samples[1].time, 30);
  EXPECT_TRUE(store.select(name_is("m"), {40, 50})->empty());
}

TEST(SeriesStore, OneTimeHasOneValue) {
  SeriesStore store;
  ASSERT_TRUE(store.add(series("m", "1"), {10, kNaN}));
  EXPECT_TRUE(store.add(series("m", "1"), {10, kNaN}));
  EXPECT_FALSE(store.add(series("m", "1"), {10, 2}));
  EXPECT_EQ(store.sample_count(), 1u);
}

}  // namespace
}  // namespace fairway::promql
