// A rollout over a thousand clusters in a hundred batches, with agents that are slow, flap and die, and a
// controller that is killed again and again in the middle of what it does.
//
// After every single action: never more clusters enforced than asked for, nobody out of turn, nothing on
// record that goes back. FAIRWAY_FLEET_SIMULATIONS says how many seeds; one is run otherwise.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fleet/testing/fleet.hpp"
#include "kube/client/backoff.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::minutes;
using testing::SimulatedFleet;

constexpr int kClusters = 1000;
constexpr int kAtOnce = 10;
constexpr int kKills = 500;

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed, bool is_canary_dead = false) : random_(seed) {
    ClusterGroupUpgradeSpec spec{
        .remediation_strategy = {.max_concurrency = kAtOnce, .timeout = 60 * 24 * 7, .canaries = {"c0007"}},
        .managed_policies = {"p0", "p1"}};
    for (int i = 0; i < kClusters; ++i) {
      spec.clusters.push_back(fmt::format("c{:04}", i));
      fleet_.add_cluster(spec.clusters.back());
      fleet_.agents[spec.clusters.back()].ticks_to_comply = 1 + static_cast<int>(random_.below(3));
    }
    for (const char* each : {"p0", "p1"}) fleet_.add_policy(each);
    fleet_.agents["c0007"].is_dead = is_canary_dead;
    fleet_.create("r", std::move(spec));
  }

  // To the end of the rollout.
  void run() {
    for (int round = 0; round < 20'000 && !has_ended(); ++round) {
      look();
      disturb();
    }
    while (!decide(fleet_.observe("r")).actions.empty() && problem_.empty()) look();
  }

  const SimulatedFleet& fleet() const { return fleet_; }
  const std::string& problem() const { return problem_; }
  int kills() const { return kills_; }
  std::size_t ever_enforced() const { return ever_enforced_.size(); }

 private:
  bool has_ended() const { return !problem_.empty() || fleet_.condition("r", kSucceeded) != "absent"; }

  // One look, whose actions are cut off by a kill once in a while.
  void look() {
    const kube::Plan<Action> plan = decide(fleet_.observe("r"));
    const bool is_killed = kills_ < kKills && !plan.actions.empty() && random_.below(3) != 0;
    const std::size_t upto = is_killed ? random_.below(plan.actions.size()) : plan.actions.size();
    if (is_killed) ++kills_;
    for (std::size_t i = 0; i < upto && problem_.empty(); ++i) {
      if (!fleet_.act(plan.actions[i])) break;
      fleet_.events.clear();
      check();
    }
  }

  void disturb() {
    if (random_.below(3) == 0) fleet_.pass(std::chrono::seconds(random_.below(30)));
    if (fleet_.agents.at("c0007").is_dead) fleet_.pass(minutes(10));  // nothing else happens
    const std::string somebody = fmt::format("c{:04}", random_.below(kClusters));
    if (random_.below(50) == 0) fleet_.set("p0", somebody, Compliance::Pending);
    if (somebody != "c0007" && random_.below(200) == 0) fleet_.agents[somebody].is_dead = true;
    // Somebody repairs what is broken, and what flapped comes back.
    if (random_.below(20) == 0) {
      for (auto& [name, agent] : fleet_.agents) agent.is_dead = name == "c0007" && agent.is_dead;
    }
    for (auto& [cluster, compliance] : fleet_.policies.at("p0").rows) {
      if (compliance == Compliance::Pending && random_.below(5) == 0) compliance = Compliance::Compliant;
    }
    fleet_.tick();
    // A batch that nobody finishes runs out of its time.
    if (random_.below(100) == 0) fleet_.pass(minutes(random_.below(30)));
  }

  void check() {
    const ClusterGroupUpgradeStatus& status = fleet_.status("r");
    std::set<std::string> enforced = fleet_.enforced_by("r");
    ever_enforced_.insert(enforced.begin(), enforced.end());
    for (const ClusterRow& each : status.clusters) {
      if (each.state == kTimedOut) were_late_.insert(each.name);
    }
    for (const std::string& each : were_late_) enforced.erase(each);
    if (enforced.size() > kAtOnce)
      problem_ = fmt::format("{} clusters are enforced at once", enforced.size());
    const RolloutProgress& now = status.status;
    if (now.completed_at) return;
    if (now.current_batch < batch_) problem_ = "the batch on record went back";
    if (now.current_batch == batch_) {
      for (const auto& [cluster, at] : now.current_batch_remediation_progress) {
        const auto before = progress_.find(cluster);
        if (before != progress_.end() && place(at) < place(before->second))
          problem_ = cluster + " went back on record";
      }
    }
    batch_ = now.current_batch;
    progress_ = now.current_batch_remediation_progress;
    if (batch_ < 1) return;
    const Batch& open = status.remediation_plan[static_cast<std::size_t>(batch_ - 1)];
    for (const std::string& each : enforced) {
      if (std::ranges::find(open, each) == open.end())
        problem_ = fmt::format("{} is enforced and not of batch {}", each, batch_);
    }
  }

  static std::int64_t place(const ClusterProgress& at) {
    return at.state == ProgressState::Completed ? 1'000 : at.policy_index.value_or(-1);
  }

  SimulatedFleet fleet_;
  kube::Random random_;
  int kills_ = 0;
  std::int64_t batch_ = 0;
  std::map<std::string, ClusterProgress> progress_;
  std::set<std::string> were_late_;
  std::set<std::string> ever_enforced_;
  std::string problem_;
};

std::uint64_t seeds() {
  const char* asked = std::getenv("FAIRWAY_FLEET_SIMULATIONS");
  return asked == nullptr ? 1 : parse_unsigned(asked).value_or(1);
}

TEST(Simulation, AThousandClustersComeThroughFiveHundredKills) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Simulation simulation(seed);
    simulation.run();
    EXPECT_EQ(simulation.problem(), "") << "seed " << seed;
    EXPECT_EQ(simulation.kills(), kKills) << "seed " << seed;
    EXPECT_EQ(simulation.fleet().status("r").remediation_plan.size(), 101u);  // the canary, then tens
    EXPECT_EQ(simulation.fleet().condition("r", kSucceeded), "True Completed") << "seed " << seed;
    EXPECT_EQ(simulation.ever_enforced(), static_cast<std::size_t>(kClusters));
    EXPECT_TRUE(simulation.fleet().objects.empty());
  }
}

TEST(Simulation, ACanaryThatFailsAlwaysStopsIt) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Simulation simulation(seed, true);
    simulation.run();
    EXPECT_EQ(simulation.problem(), "") << "seed " << seed;
    EXPECT_EQ(simulation.fleet().condition("r", kSucceeded), "False TimedOut") << "seed " << seed;
    EXPECT_EQ(simulation.ever_enforced(), 1u) << "only the canary ever was; seed " << seed;
  }
}

}  // namespace
}  // namespace fairway::fleet
