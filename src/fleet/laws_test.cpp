// The three laws of every controller, with the promises of a rollout: nobody is enforced who is not in the
// batch on record, never more than computedMaxConcurrency clusters at once, and a canary that fails ends it.
#include "kube/runtime/testing/laws.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using testing::SimulatedFleet;

constexpr int kClusters = 7;

std::string cluster(std::uint64_t number) {
  return fmt::format("s{}", number + 1);
}

RolloutControls some_controls(kube::Random& random) {
  RolloutControls controls;
  if (random.below(2) == 0) controls.pause_mode = HoldMode::Freeze;
  controls.rolling = random.below(3) == 0;
  if (random.below(3) == 0) controls.max_unavailable = json::Value(1);
  if (random.below(3) == 0) controls.approvals.mode = ApprovalMode::PerBatch;
  if (random.below(3) == 0) controls.offline.policy = OfflinePolicy::Skip;
  if (random.below(6) == 0) controls.offline.policy = OfflinePolicy::Defer;
  if (random.below(3) == 0) controls.cluster_timeout = 20;
  if (controls.cluster_timeout && random.below(2) == 0) controls.retry.per_cluster = 1;
  if (random.below(4) == 0) controls.soak.between_batches = std::chrono::minutes(5);
  if (random.below(4) == 0)
    controls.failure_threshold = FailureThreshold{
        .count = 2, .action = random.below(2) == 0 ? ThresholdAction::Abort : ThresholdAction::Pause};
  return controls;
}

ClusterGroupUpgradeSpec some_spec(kube::Random& random) {
  ClusterGroupUpgradeSpec spec{.managed_policies = {"p0", "p1"}};
  for (std::uint64_t i = 0; i < kClusters; ++i) {
    if (random.below(4) != 0) spec.clusters.push_back(cluster(i));
  }
  if (spec.clusters.empty()) spec.clusters.push_back(cluster(0));
  spec.remediation_strategy.max_concurrency = static_cast<std::int64_t>(random.below(4));
  if (random.below(2) == 0) spec.remediation_strategy.canaries = {spec.clusters.back()};
  if (random.below(3) == 0) spec.batch_timeout_action = "Abort";
  return spec;
}

ClusterGroupUpgradeSpec some_controlled_spec(kube::Random& random) {
  ClusterGroupUpgradeSpec spec = some_spec(random);
  spec.rollout_controls = some_controls(random);
  return spec;
}

// Stands still by somebody's word, and nobody may be enforced meanwhile.
bool is_frozen(const ClusterGroupUpgrade& rollout) {
  const RolloutControls& controls = controls_of(rollout.spec);
  return controls.paused && controls.pause_mode == HoldMode::Freeze;
}

struct FleetWorld {
  SimulatedFleet fleet = {};
  // Those that were ever recorded as late: they stay enforced to the end, whatever becomes of them.
  std::map<std::string, std::set<std::string>> late = {};
  std::string broken = {};  // what no action may do, and one did
};

struct FleetModel {
  using World = FleetWorld;
  using Observed = fleet::Observed;
  using Action = fleet::Action;

  std::vector<kube::ObjectKey> keys(const World&) const { return {{"default", "c"}, {"default", "d"}}; }
  Observed observe(const World& world, const kube::ObjectKey& key) const {
    return world.fleet.observe(key.name);
  }
  kube::Plan<Action> decide(const Observed& seen) const { return fleet::decide(seen); }
  Result<void> act(World& world, const Observed&, const Action& action) const {
    FAIRWAY_CHECKED(world.fleet.act(action));
    world.fleet.events.clear();  // a world is copied at every change
    if (const auto* write = std::get_if<WriteStatus>(&action)) {
      const ClusterGroupUpgrade& before = *write->rollout;
      if (controls_of(before.spec).paused &&
          write->status.status.current_batch > before.status.status.current_batch)
        world.broken = before.metadata.name + " opens a batch while it is paused";
      for (const ClusterRow& each : write->status.clusters) {
        if (each.state == kTimedOut) world.late[write->rollout->metadata.uid].insert(each.name);
      }
    }
    return {};
  }

  Result<void> invariant(const World& world) const {
    if (!world.broken.empty()) return fail(ErrorCode::Internal, world.broken);
    for (const auto& key : keys(world)) {
      const auto found = world.fleet.rollouts.find(key.name);
      const std::set<std::string> enforced = world.fleet.enforced_by(key.name);
      if (found != world.fleet.rollouts.end()) {
        FAIRWAY_CHECKED(check(world, *found->second, enforced));
      } else if (!enforced.empty()) {
        return fail(ErrorCode::Internal, key.name + " is gone and still enforces on " + *enforced.begin());
      }
    }
    return {};
  }

  Result<void> check(const World& world, const ClusterGroupUpgrade& rollout,
                     std::set<std::string> enforced) const {
    const ClusterGroupUpgradeStatus& status = rollout.status;
    if (const auto late = world.late.find(rollout.metadata.uid); late != world.late.end()) {
      for (const std::string& each : late->second) enforced.erase(each);
    }
    const std::string& name = rollout.metadata.name;
    if (static_cast<std::int64_t>(enforced.size()) > status.computed_max_concurrency)
      return fail(ErrorCode::Internal, fmt::format("{} enforces on {} clusters", name, enforced.size()));
    const auto batch = static_cast<std::size_t>(status.status.current_batch);
    if (kube::is_condition_true(status.conditions, kProgressing) && batch >= 1) {
      const Batch& open = status.remediation_plan[batch - 1];
      for (const std::string& each : enforced) {
        if (std::ranges::find(open, each) == open.end())
          return fail(ErrorCode::Internal,
                      fmt::format("{} enforces on {}, not of batch {}", name, each, batch));
      }
    }
    std::set<std::string> rows;
    for (const ClusterRow& each : status.clusters) {
      if (!rows.insert(each.name).second) return fail(ErrorCode::Internal, each.name + " has two rows");
    }
    return check_canaries(rollout, enforced);
  }

  Result<void> check_canaries(const ClusterGroupUpgrade& rollout,
                              const std::set<std::string>& enforced) const {
    const ClusterGroupUpgradeStatus& status = rollout.status;
    for (std::int64_t i = 0; i < status.rollout.canary_batches; ++i) {
      const Batch& batch = status.remediation_plan[static_cast<std::size_t>(i)];
      const ClusterRow* row = batch.empty() ? nullptr : find_row(status, batch.front());
      if (row == nullptr || row->state != kTimedOut) continue;
      if (!kube::is_condition_false(status.conditions, kSucceeded) || !enforced.empty())
        return fail(ErrorCode::Internal, "a canary failed and the rollout goes on");
    }
    return {};
  }

  // Who is on record as being at a policy is enforced for it, and what has ended has left nothing behind.
  Result<void> settled(const World& world) const {
    for (const auto& [name, rollout] : world.fleet.rollouts) {
      const ClusterGroupUpgradeStatus& status = rollout->status;
      if (is_frozen(*rollout) && !world.fleet.enforced_by(name).empty())
        return fail(ErrorCode::Internal, name + " is frozen and enforces on somebody");
      if (status.rollout.paused_since && controls_of(rollout->spec).pause_mode == HoldMode::Freeze) continue;
      for (const auto& [each, at] : status.status.current_batch_remediation_progress) {
        if (at.state != ProgressState::InProgress) continue;
        const auto& policy = status.managed_policies_for_upgrade[static_cast<std::size_t>(*at.policy_index)];
        if (!world.fleet.is_enforced(policy.name, each))
          return fail(ErrorCode::Internal,
                      fmt::format("{} waits for {} without enforcing it", each, policy.name));
      }
      const bool has_ended = kube::find_condition(status.conditions, kSucceeded) != nullptr;
      if (has_ended && (!status.status.completed_at || !world.fleet.enforced_by(name).empty()))
        return fail(ErrorCode::Internal, name + " has ended and is not closed");
    }
    return {};
  }

  void disturb(World& world, kube::Random& random) const {
    SimulatedFleet& fleet = world.fleet;
    const std::string name = random.below(2) == 0 ? "c" : "d";
    const std::string where = cluster(random.below(kClusters));
    const std::string policy = fmt::format("p{}", random.below(2));
    switch (random.below(20)) {
      case 0:
        if (!fleet.rollouts.contains(name))
          fleet.create(name, name == "c" ? some_spec(random) : some_controlled_spec(random));
        return;
      case 1:
        if (random.below(4) == 0) fleet.remove(name);
        return;
      case 2:  // it flaps
        return fleet.set(policy, where, Compliance::NonCompliant);
      case 3:
        fleet.agents[where].is_dead = random.below(2) == 0;
        return;
      case 4:
        fleet.agents[where].ticks_to_comply = static_cast<int>(random.below(4));
        return;
      case 5:
        return fleet.pass(std::chrono::minutes(random.below(60)));
      case 6:
        return fleet.change(name, [&](ClusterGroupUpgrade& edited) {
          edited.spec.remediation_strategy.timeout = static_cast<std::int64_t>(random.below(400));
        });
      case 7:  // ignored while it runs
        return fleet.change(name, [&](ClusterGroupUpgrade& edited) {
          edited.spec.remediation_strategy.max_concurrency = static_cast<std::int64_t>(random.below(4));
          edited.spec.remediation_strategy.canaries.clear();
        });
      case 8:  // somebody deletes what is ours
        if (!fleet.objects.empty() && random.below(3) == 0)
          fleet.objects.erase(std::next(fleet.objects.begin(),
                                        static_cast<std::ptrdiff_t>(random.below(fleet.objects.size()))));
        return;
      case 10:  // somebody pauses it, or lets it go on
        return fleet.change(name, [&](ClusterGroupUpgrade& edited) {
          if (edited.spec.rollout_controls) edited.spec.rollout_controls->paused = random.below(3) == 0;
        });
      case 11:
        return fleet.change(name, [&](ClusterGroupUpgrade& edited) {
          edited.status.rollout.approvals.push_back({.batch = edited.status.status.current_batch + 1});
        });
      case 12:
        if (random.below(2) == 0) {
          fleet.unavailable[where] = fleet.now;
        } else {
          fleet.unavailable.erase(where);
        }
        return;
      case 14:  // somebody thinks again while it runs
        return fleet.change(name, [&](ClusterGroupUpgrade& edited) {
          if (edited.spec.rollout_controls) edited.spec.rollout_controls = some_controls(random);
        });
      case 13:
        return fleet.change(name, [&](ClusterGroupUpgrade& edited) {
          if (edited.spec.rollout_controls && random.below(3) == 0) ++edited.spec.rollout_controls->rerun;
        });
      case 9:
        return fleet.pass(std::chrono::milliseconds(random.below(5000)));
      default:
        return fleet.tick();
    }
  }
};

// FAIRWAY_FLEET_RUNS says how many interleavings.
TEST(Laws, NobodyIsEnforcedOutOfTurnInAnyInterleaving) {
  FleetWorld world;
  for (std::uint64_t i = 0; i < kClusters; ++i) world.fleet.add_cluster(cluster(i));
  world.fleet.add_policy("p0");
  world.fleet.add_policy("p1", {.remediation_action = "inform", .soak = std::chrono::seconds(2)});
  kube::Random random(7);
  world.fleet.create("c", some_spec(random));
  // One that takes clusters in as others are done: the hardest to keep within its number.
  ClusterGroupUpgradeSpec rolling = some_controlled_spec(random);
  rolling.remediation_strategy = {.max_concurrency = 2};
  rolling.rollout_controls = RolloutControls{.rolling = true};
  world.fleet.create("d", std::move(rolling));
  for (const char* each : {"c", "d"}) world.fleet.settle(each);
  kube::testing::LawOptions options{.seeds = 200, .steps = 100, .disturbing = 0.3, .stale = 0.2};
  if (const char* runs = std::getenv("FAIRWAY_FLEET_RUNS"))
    options.seeds = static_cast<int>(parse_unsigned(runs).value_or(200));
  EXPECT_EQ(kube::testing::check_laws(FleetModel{}, world, options), kube::testing::kLawful);
}

}  // namespace
}  // namespace fairway::fleet
