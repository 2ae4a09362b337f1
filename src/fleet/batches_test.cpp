#include "fleet/batches.hpp"

#include <gtest/gtest.h>
#include <set>

namespace fairway::fleet {
namespace {

using Names = std::vector<std::string>;

BatchPlan plan(const Names& canaries, std::int64_t at_once, const std::set<std::string>& compliant = {}) {
  return plan_batches({"1", "2", "3", "4", "5"}, canaries, {.max_concurrency = at_once},
                      [&](const std::string& each) { return !compliant.contains(each); });
}

TEST(Batches, Case21AreCutInOrder) {
  EXPECT_EQ(plan({}, 2), (BatchPlan{{{"1", "2"}, {"3", "4"}, {"5"}}, 0, {}}));
}
TEST(Batches, Case22LeaveOutWhoComplies) {
  EXPECT_EQ(plan({}, 2, {"2"}), (BatchPlan{{{"1", "3"}, {"4", "5"}}, 0, {"2"}}));
}
TEST(Batches, Case23CanariesGoAloneAndFirst) {
  EXPECT_EQ(plan({"4", "2"}, 2), (BatchPlan{{{"4"}, {"2"}, {"1", "3"}, {"5"}}, 2, {}}));
}
TEST(Batches, Case24ACompliantCanaryDoesNotMakeAnotherBatchOne) {
  EXPECT_EQ(plan({"4", "2"}, 2, {"4"}), (BatchPlan{{{"2"}, {"1", "3"}, {"5"}}, 1, {"4"}}));
}
TEST(Batches, NobodyNeedsAnything) {
  EXPECT_EQ(plan({"1"}, 2, {"1", "2", "3", "4", "5"}), (BatchPlan{{}, 0, {"1", "2", "3", "4", "5"}}));
}

}  // namespace
}  // namespace fairway::fleet
