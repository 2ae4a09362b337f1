#include "fleet/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClusterTable fleet() {
  return {{"a", {{"env", ""}}}, {"b", {{"env", "x"}}}, {"z", {{"env", "x"}, {"site", "pier"}}}};
}

TEST(Selection, Case1NamesCountOnceInTheirOrder) {
  EXPECT_THAT(select_clusters({.clusters = {"b", "a", "b"}}, fleet()).clusters, ElementsAre("b", "a"));
}

TEST(Selection, Case2SelectorsAddWhatIsNotListedSorted) {
  const ClusterGroupUpgradeSpec spec{.clusters = {"z"},
                                     .cluster_selector = {"env="},
                                     .cluster_label_selectors = {{.match_labels = {{"env", "x"}}}}};
  EXPECT_THAT(select_clusters(spec, fleet()).clusters, ElementsAre("z", "a", "b"));
}

TEST(Selection, Case3AKeyAloneMeansTheEmptyValue) {
  EXPECT_THAT(select_clusters({.cluster_selector = {"env"}}, fleet()).clusters, ElementsAre("a"));
}

TEST(Selection, Case4AnItemWithTwoSignsIsIgnored) {
  const Selection made = select_clusters({.cluster_selector = {"a=b=c"}}, fleet());
  EXPECT_THAT(made.clusters, IsEmpty());
  EXPECT_EQ(made.problem, "");
}

TEST(Selection, Case5NothingSelectsNothing) {
  EXPECT_EQ(select_clusters({}, fleet()).problem,
            "Unable to select clusters: cannot obtain all the details about the clusters in the CR: no "
            "cluster specified for remediation");
}

TEST(Selection, Case6TheFirstUnknownNameIsToldAndAllAreListed) {
  const Selection made = select_clusters({.clusters = {"a", "x", "y"}}, fleet());
  EXPECT_EQ(made.problem, "Unable to select clusters: cluster x is not a ManagedCluster");
  EXPECT_THAT(made.missing, ElementsAre("x", "y"));
}

TEST(Selection, Case7ACanaryMustBeSelected) {
  const ClusterGroupUpgradeSpec spec{.clusters = {"a"}, .remediation_strategy = {.canaries = {"c"}}};
  EXPECT_EQ(select_clusters(spec, fleet()).problem,
            "Unable to select clusters: canary cluster c is not in the list of clusters");
}

TEST(Selection, ExpressionsOfOneSelectorAreAllMet) {
  const ClusterGroupUpgradeSpec spec{
      .cluster_label_selectors = {
          {.match_labels = {{"env", "x"}}, .match_expressions = {{.key = "site", .operator_ = "Exists"}}}}};
  EXPECT_THAT(select_clusters(spec, fleet()).clusters, ElementsAre("z"));
}

TEST(Selection, ASelectorThatCannotBeReadIsToldAndSelectsNothing) {
  const ClusterGroupUpgradeSpec spec{
      .cluster_label_selectors = {{.match_expressions = {{.key = "env", .operator_ = "Near"}}}}};
  EXPECT_THAT(select_clusters(spec, fleet()).problem,
              ::testing::StartsWith("Unable to select clusters: cannot obtain all the details"));
}

// Cases 9, 10 and 11.
TEST(Selection, ConcurrencyIsBetweenOneAndAll) {
  EXPECT_EQ(computed_concurrency(0, 5), 5);
  EXPECT_EQ(computed_concurrency(-1, 5), 5);
  EXPECT_EQ(computed_concurrency(3, 2), 2);
  EXPECT_EQ(computed_concurrency(5, 5), 5);
  EXPECT_EQ(computed_concurrency(2, 5), 2);
  EXPECT_EQ(computed_concurrency(2, 0), 0);
}

}  // namespace
}  // namespace fairway::fleet
