#include "promql/labels.hpp"

#include <gtest/gtest.h>

#include "promql/xxhash.hpp"

namespace fairway::promql {
namespace {

TEST(Labels, AreSortedWithoutEmptyValuesAndTheLastOfEqualNamesCounts) {
  const Labels labels = Labels::from({{"b", "2"}, {"a", "1"}, {"empty", ""}, {"b", "3"}});
  EXPECT_EQ(labels.to_string(), "{a=\"1\", b=\"3\"}");
  EXPECT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.get("b"), "3");
  EXPECT_EQ(labels.get("empty"), "");
  EXPECT_EQ(labels.get("zzz"), "");
  EXPECT_TRUE(Labels::from({{"a", ""}}).empty());
}

TEST(Labels, EqualSetsHaveEqualHashesHoweverTheyWereMade) {
  const Labels left = Labels::from({{"a", "1"}, {"b", "2"}});
  const Labels right =
      LabelsBuilder(Labels::from({{"b", "2"}, {"c", "3"}})).set("a", "1").remove("c").labels();
  EXPECT_EQ(left, right);
  EXPECT_EQ(left.hash(), right.hash());
  EXPECT_NE(left, Labels::from({{"a", "1"}}));
  EXPECT_EQ(Labels{}.hash(), xxhash64(""));
}

TEST(Labels, OrderIsThatOfTheFirstDifferentPair) {
  const Labels a = Labels::from({{"a", "1"}});
  EXPECT_LT(Labels{}, a);
  EXPECT_LT(a, Labels::from({{"a", "1"}, {"b", "1"}}));
  EXPECT_LT(Labels::from({{"a", "1"}, {"z", "1"}}), Labels::from({{"a", "2"}}));
  EXPECT_LT(Labels::from({{"a", "9"}}), Labels::from({{"b", "1"}}));
}

TEST(Labels, ValuesOfAnyLengthAreKept) {
  for (const std::size_t length : {1u, 254u, 255u, 256u, 70'000u}) {
    const std::string value(length, 'v');
    const Labels labels = Labels::from({{"a", value}, {"b", "after"}});
    EXPECT_EQ(labels.get("a"), value);
    EXPECT_EQ(labels.get("b"), "after");
  }
}

TEST(Labels, PartsOfThem) {
  const Labels labels = Labels::from({{"__name__", "m"}, {"a", "1"}, {"b", "2"}, {"__unit__", "s"}});
  const std::vector<std::string> names{"a", "nowhere"};
  EXPECT_EQ(labels.keep(names).to_string(), "{a=\"1\"}");
  EXPECT_EQ(labels.without(names).to_string(), "{__name__=\"m\", __unit__=\"s\", b=\"2\"}");
  EXPECT_EQ(labels.drop(names).to_string(), "{__unit__=\"s\", b=\"2\"}");
  EXPECT_EQ(labels.without_name().to_string(), "{a=\"1\", b=\"2\"}");
}

TEST(Labels, AreWrittenAsPrometheusDoes) {
  EXPECT_EQ(Labels{}.to_metric(), "{}");
  EXPECT_EQ(Labels::from({{"__name__", "up"}}).to_metric(), "up");
  EXPECT_EQ(Labels::from({{"__name__", "up"}, {"job", "a\"b\\c\n"}}).to_metric(),
            "up{job=\"a\\\"b\\\\c\\n\"}");
  EXPECT_EQ(Labels::from({{"__name__", "a b"}, {"x.y", "1"}}).to_metric(),
            "{__name__=\"a b\", \"x.y\"=\"1\"}");
}

// Reference values of the published algorithm.
TEST(XxHash, AgreesWithTheReference) {
  EXPECT_EQ(xxhash64(""), 0xef46db3751d8e999u);
  EXPECT_EQ(xxhash64("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(xxhash64("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(xxhash64("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

}  // namespace
}  // namespace fairway::promql
