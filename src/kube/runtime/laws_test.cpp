// The law checker itself: a lawful controller passes, and each law has one that breaks it and is found out.
#include "kube/runtime/testing/laws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

using testing::check_laws;
using ::testing::HasSubstr;
using testing::kLawful;

// Clusters to be updated, at most two at a time; updates end when others see to it.
struct Rollout {
  struct Cluster {
    int version = 1;
    bool is_updating = false;
  };
  int target = 2;
  int revision = 0;
  std::vector<Cluster> clusters = std::vector<Cluster>(6);

  long updating() const { return std::ranges::count(clusters, true, &Cluster::is_updating); }
};

struct StartOne {
  std::size_t cluster;
};
std::string describe(const StartOne& action) {
  return "start cluster " + std::to_string(action.cluster);
}

enum class Defect { None, Unguarded, TooMany, Forgetful, Restless, Lazy };

struct RolloutModel {
  using World = Rollout;
  using Observed = Rollout;
  using Action = StartOne;

  Defect defect = Defect::None;
  mutable int calls = 0;

  std::vector<ObjectKey> keys(const World&) const { return {{"", "rollout"}, {"", "other"}}; }
  Observed observe(const World& world, const ObjectKey&) const { return world; }

  Plan<Action> decide(const Observed& seen) const {
    Plan<Action> plan;
    ++calls;
    if (defect == Defect::Lazy) return plan;
    const long most = defect == Defect::TooMany ? 3 : 2;
    for (std::size_t i = 0; i < seen.clusters.size(); ++i) {
      const auto& cluster = seen.clusters[i];
      const bool is_done = cluster.version == seen.target || cluster.is_updating;
      if (is_done && defect != Defect::Restless) continue;
      if (seen.updating() + static_cast<long>(plan.actions.size()) >= most && defect != Defect::Restless)
        break;
      plan.actions.push_back({i});
    }
    if (defect == Defect::Forgetful && calls % 7 == 0) plan.actions.clear();
    return plan;
  }

  Result<void> act(World& world, const Observed& seen, const Action& action) const {
    if (defect == Defect::Restless) return {};
    // What is guarded: nobody else has started too many since it was observed, and the rollout is the same.
    const bool is_guarded = defect != Defect::Unguarded && defect != Defect::TooMany;
    if (is_guarded && world.updating() >= 2) return fail(ErrorCode::Conflict, "others have started");
    if (is_guarded && world.revision != seen.revision)
      return fail(ErrorCode::Conflict, "the rollout has changed");
    auto& cluster = world.clusters[action.cluster];
    cluster.is_updating = true;
    return {};
  }

  Result<void> invariant(const World& world) const {
    if (world.updating() <= 2) return {};
    return fail(ErrorCode::Internal, std::to_string(world.updating()) + " clusters are updating");
  }

  Result<void> settled(const World& world) const {
    const bool is_started =
        world.updating() == 2 || std::ranges::all_of(world.clusters, [&](const auto& each) {
          return each.is_updating || each.version == world.target;
        });
    return is_started ? Result<void>{} : fail(ErrorCode::Internal, "clusters wait for nothing");
  }

  void disturb(World& world, Random& random) const {
    auto& cluster = world.clusters[random.below(world.clusters.size())];
    if (cluster.is_updating) cluster = {world.target, false};
    if (random.below(10) == 0) {
      ++world.revision;
      for (auto& each : world.clusters) each.version = 1;
    }
  }
};

TEST(Laws, ALawfulControllerPasses) {
  EXPECT_EQ(check_laws(RolloutModel{}, Rollout{}), kLawful);
}

TEST(Laws, AnInvariantThatBreaksInSomeInterleavingIsFound) {
  EXPECT_THAT(check_laws(RolloutModel{.defect = Defect::TooMany}, Rollout{}),
              HasSubstr("3 clusters are updating"));
  const std::string story = check_laws(RolloutModel{.defect = Defect::Unguarded}, Rollout{});
  EXPECT_THAT(story, HasSubstr("the law \"the invariant holds after every action\" is broken with seed"))
      << "two keys, or a stale cache, start more than one alone would";
  EXPECT_THAT(story, HasSubstr("does start cluster"));
}

TEST(Laws, ADecisionThatDependsOnSomethingElseIsFound) {
  EXPECT_THAT(check_laws(RolloutModel{.defect = Defect::Forgetful}, Rollout{}),
              HasSubstr("the law \"the same observation gives the same plan\" is broken"));
}

TEST(Laws, AControllerThatLeavesTheWorldAsItIsIsFound) {
  EXPECT_THAT(check_laws(RolloutModel{.defect = Defect::Lazy}, Rollout{}),
              HasSubstr("clusters wait for nothing"));
}

TEST(Laws, APlanThatNeverBecomesEmptyIsFound) {
  EXPECT_THAT(check_laws(RolloutModel{.defect = Defect::Restless}, Rollout{}),
              HasSubstr("the law \"acting until the plan is empty takes bounded steps\" is broken"));
}

}  // namespace
}  // namespace fairway::kube
