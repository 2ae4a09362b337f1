#include "promql/aggregated.hpp"

#include <gtest/gtest.h>

#include "promql/parser.hpp"

namespace fairway::promql {
namespace {

TEST(Aggregated, OnlyTheEmptyIdChanges) {
  EXPECT_EQ(*for_all_clusters("group by (_id) (a{_id=\"\", b=\"\"})\nor\n0 * group by (_id) (a{_id=\"\"})"),
            "group by (_id) (a{_id!=\"\", b=\"\"})\nor\n0 * group by (_id) (a{_id!=\"\"})");
  EXPECT_EQ(*for_all_clusters("max_over_time(a{ _id = '' }[1h])"), "max_over_time(a{ _id!=\"\" }[1h])");
  EXPECT_EQ(*for_all_clusters("a{_id=\"x\"} or b{_id=~\"\"} or c{_id!=\"\"}"),
            "a{_id=\"x\"} or b{_id=~\"\"} or c{_id!=\"\"}");
  EXPECT_EQ(*for_all_clusters("label_replace(a, \"x\", \"{_id=\\\"\\\"}\", \"\", \"\")"),
            "label_replace(a, \"x\", \"{_id=\\\"\\\"}\", \"\", \"\")")
      << "a text is not a matcher";
  EXPECT_EQ(*for_all_clusters("a"), "a");
}

TEST(Aggregated, AClustersIdIsQuoted) {
  EXPECT_EQ(*for_cluster("a{_id=\"\"}", "0f1e"), "a{_id=\"0f1e\"}");
  const auto hostile = for_cluster("a{_id=\"\"}", "x\"} or up{b=\"\\\n");
  ASSERT_TRUE(hostile);
  EXPECT_EQ(*hostile, "a{_id=\"x\\\"} or up{b=\\\"\\\\\\n\"}");
  EXPECT_TRUE(parse(*hostile).has_value());
  EXPECT_FALSE(for_cluster("a{_id=\"\"}", ""));
}

TEST(Aggregated, WhatDoesNotParseIsAnError) {
  EXPECT_FALSE(for_all_clusters("a{"));
}

}  // namespace
}  // namespace fairway::promql
