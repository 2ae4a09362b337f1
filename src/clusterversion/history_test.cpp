#include "clusterversion/history.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace fairway::clusterversion {
namespace {

using namespace std::chrono_literals;

const WallTime kNow{1000s};
const WallTime kLater{2000s};

HistoryEntry entry(std::string state, std::string version) {
  return {.state = std::move(state),
          .started_time = WallTime{1s},
          .completion_time = {WallTime{2s}},
          .version = version,
          .image = "i/" + version};
}

AppliedRelease applying(std::string version) {
  return {.release = {.version = version, .image = "i/" + version}};
}

TEST(MergeHistory, WithoutAnImageThereIsNoEntry) {
  EXPECT_EQ(merge_history({}, {.release = {.version = "4.6.23", .image = ""}}, kNow), History{});
}

TEST(MergeHistory, BeginsPartialAndIsCompletedOnce) {
  auto history = merge_history({}, applying("4.6.23"), kNow);
  ASSERT_EQ(history.size(), 1U);
  EXPECT_EQ(history[0].state, "Partial");
  EXPECT_EQ(history[0].started_time, kNow);
  EXPECT_FALSE(history[0].completion_time.time);
  auto done = applying("4.6.23");
  done.is_completed = true;
  history = merge_history(history, done, kNow + 5s);
  EXPECT_EQ(history[0].state, "Completed");
  EXPECT_EQ(history[0].started_time, kNow);
  EXPECT_EQ(history[0].completion_time.time, kNow + 5s);
  EXPECT_EQ(merge_history(history, done, kLater), history) << "a second time changes nothing";
  EXPECT_EQ(merge_history(history, applying("4.6.23"), kLater), history) << "completed stays completed";
}

TEST(MergeHistory, AnotherReleaseClosesTheLastEntryAndKeepsItsState) {
  auto history = merge_history({}, applying("4.6.23"), kNow);
  history = merge_history(history, applying("4.7.4"), kLater);
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].version, "4.7.4");
  EXPECT_EQ(history[0].state, "Partial");
  EXPECT_EQ(history[1].state, "Partial");
  EXPECT_EQ(history[1].completion_time.time, kLater);
  auto done = applying("4.8.0");
  done.is_completed = true;
  history[0].completion_time.time = kNow;
  history = merge_history(history, done, kLater);
  EXPECT_EQ(history[0].state, "Completed") << "completed at once";
  EXPECT_EQ(history[0].completion_time.time, kLater);
  EXPECT_EQ(history[1].completion_time.time, kNow) << "closed already";
}

TEST(MergeHistory, TheSameReleaseFillsWhatIsMissing) {
  struct Case {
    std::string version, image;
    Release release;
    bool is_same;
  };
  const Case cases[] = {
      {"", "a", {.version = "1.0.0", .image = "a"}, true},
      {"1.0.0", "a", {.version = "", .image = "a"}, true},
      {"1.0.0", "", {.version = "1.0.0", .image = "a"}, true},
      {"1.0.0", "a", {.version = "1.0.0", .image = "a"}, true},
      {"1.0.0", "a", {.version = "1.0.1", .image = "a"}, false},
      {"1.0.0", "b", {.version = "1.0.0", .image = "a"}, false},
      {"", "", {.version = "1.0.0", .image = "a"}, false},
      {"", "", {.version = "", .image = "a"}, false},
  };
  for (const Case& given : cases) {
    const History before = {{.state = "", .version = given.version, .image = given.image}};
    const History after = merge_history(before, {.release = given.release}, kNow);
    EXPECT_EQ(after.size(), given.is_same ? 1U : 2U) << given.version << " " << given.image;
    EXPECT_EQ(after[0].image, "a");
    EXPECT_EQ(after[0].state, "Partial");
    if (given.is_same) {
      EXPECT_EQ(after[0].version, "1.0.0");
    }
  }
}

TEST(MergeHistory, AcceptedRisksSurviveARestart) {  // case 66
  auto applied = applying("4.7.4");
  applied.accepted_risks = "it was not recommended";
  applied.is_completed = true;
  applied.is_verified = true;
  const auto history = merge_history({}, applied, kNow);
  EXPECT_EQ(history[0].accepted_risks, "it was not recommended");
  auto local = applying("4.7.4");
  local.is_local = true;
  local.is_completed = true;
  EXPECT_EQ(merge_history(history, local, kLater), history) << "its risks, its time and that it was verified";
}

TEST(MergeHistory, AcceptedRisksAreThoseOfTheLastAcceptance) {
  auto applied = applying("4.7.4");
  applied.accepted_risks = "forced";
  auto history = merge_history({}, applied, kNow);
  applied.accepted_risks = "";
  history = merge_history(history, applied, kNow);
  EXPECT_EQ(history[0].accepted_risks, "");
}

TEST(MergeHistory, VerifiedOnlyEverBecomesTrue) {
  auto applied = applying("4.7.4");
  applied.is_verified = true;
  auto history = merge_history({}, applying("4.7.4"), kNow);
  EXPECT_FALSE(history[0].verified);
  history = merge_history(history, applied, kNow);
  EXPECT_TRUE(history[0].verified);
  EXPECT_TRUE(merge_history(history, applying("4.7.4"), kNow)[0].verified);
}

// Newest first, in a short form: "P 4.7.4" is a partial entry.
History parse(std::initializer_list<const char*> lines) {
  History history;
  for (const std::string line : lines) {
    history.push_back(entry(line[0] == 'P' ? "Partial" : "Completed", line.substr(2)));
    history.back().image += "#" + std::to_string(history.size());
  }
  return history;
}

std::string removed(const History& before, std::size_t most) {
  const History after = prune_history(before, most);
  EXPECT_EQ(after.size(), before.size() - 1);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!(after[i] == before[i])) return std::to_string(i) + " " + before[i].version;
  }
  return std::to_string(after.size()) + " " + before.back().version;
}

TEST(PruneHistory, TakesTheLowestRank) {  // case 67
  struct Case {
    std::string why;
    History history;
    std::string removed;
  };
  const Case cases[] = {
      {"the older of two plain ones",
       parse({"C 4.9.9", "C 4.9.8", "C 4.9.7", "C 4.9.6", "C 4.9.5", "C 4.9.4", "C 4.9.3", "C 4.9.2"}),
       "6 4.9.3"},
      {"a Partial between patches goes before one between minors",
       parse({"C 4.9.9", "C 4.9.8", "C 4.9.7", "C 4.9.6", "C 4.9.5", "P 4.9.4", "C 4.9.3", "P 4.9.0",
              "C 4.8.1", "C 4.7.1"}),
       "5 4.9.4"},
      {"a plain completed one goes before one between minors",
       parse({"C 4.9.9", "C 4.9.8", "C 4.9.7", "C 4.9.6", "C 4.9.5", "C 4.9.4", "C 4.9.3", "P 4.9.0",
              "C 4.8.1", "C 4.7.1"}),
       "5 4.9.4"},
      {"a Partial between minors goes before the ends of a minor",
       parse({"C 4.9.9", "C 4.9.8", "C 4.9.7", "C 4.9.6", "C 4.9.5", "P 4.9.0", "C 4.8.1", "C 4.7.1"}),
       "5 4.9.0"},
      {"a Partial before anything was completed is plain",
       parse({"P 4.9.9", "P 4.9.8", "P 4.9.7", "P 4.9.6", "P 4.9.5", "P 4.9.4", "C 4.8.1", "C 4.7.2",
              "C 4.6.1"}),
       "5 4.9.4"},
      {"a Partial between equal versions is plain, so the older of the two goes",
       parse({"C 4.9.9", "C 4.9.8", "C 4.9.7", "C 4.9.6", "C 4.9.5", "P 4.9.4", "C 4.9.5", "C 4.9.5",
              "C 4.9.5"}),
       "7 4.9.5"},
      {"minors of other majors are others",
       parse({"C 5.9.9", "C 5.9.8", "C 5.9.7", "C 5.9.6", "C 5.9.5", "P 5.9.0", "C 4.9.1", "C 4.9.0"}),
       "5 5.9.0"},
      {"the only completed one stays, however old",
       parse({"P 4.9.9", "P 4.9.8", "P 4.9.7", "P 4.9.6", "P 4.9.5", "P 4.9.4", "C 4.9.3", "P 4.9.2"}),
       "5 4.9.4"},
  };
  for (const Case& given : cases)
    EXPECT_EQ(removed(given.history, given.history.size() - 1), given.removed) << given.why;
}

TEST(PruneHistory, LeavesAHundredAlone) {
  const History history(100, entry("Partial", "4.6.1"));
  EXPECT_EQ(prune_history(history), history);
  EXPECT_EQ(prune_history(History(103, entry("Partial", "4.6.1"))).size(), 100U);
}

TEST(PruneHistory, NeverTakesTheNewestFiveTheOldestOrTheLastCompleted) {  // case 67, for any history
  std::mt19937 random(67);
  const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  for (int round = 0; round < 1000; ++round) {
    History before;
    const unsigned partial_in_ten = draw(11);
    const unsigned size = 8 + draw(94);  // seven cannot be spared; 101 is what there is in earnest
    for (unsigned i = 0; i < size; ++i) {
      before.push_back(entry(draw(10) < partial_in_ten ? "Partial" : "Completed",
                             "4." + std::to_string(draw(5)) + "." + std::to_string(draw(4))));
      before.back().image += std::to_string(i);
    }
    const History after = prune_history(before, size - 1);
    ASSERT_EQ(after.size(), size - 1);
    const auto is_kept = [&](const HistoryEntry& kept) {
      return std::ranges::find(after, kept) != after.end();
    };
    for (std::size_t i = 0; i < 5; ++i) ASSERT_EQ(after[i], before[i]);
    ASSERT_EQ(after.back(), before.back());
    const auto completed = std::ranges::find(before, "Completed", &HistoryEntry::state);
    if (completed != before.end()) ASSERT_TRUE(is_kept(*completed));
    History in_order;  // and nothing else changes
    std::ranges::copy_if(before, std::back_inserter(in_order), is_kept);
    ASSERT_EQ(in_order, after);
  }
}

}  // namespace
}  // namespace fairway::clusterversion
