// The three laws of every controller, with the agent's promises: an inform policy changes nothing, and only
// what a mustnothave template names is ever deleted.
#include "kube/runtime/testing/laws.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/agent/testing/cluster.hpp"

namespace fairway::fleet::agent {
namespace {

using testing::SimulatedCluster;

struct AgentWorld {
  SimulatedCluster cluster = {};
  std::string broken = {};  // a promise
};

std::string some_spec(kube::Random& random) {
  const char* actions[] = {"inform", "enforce", "Enforce"};
  const char* rules[] = {"musthave", "mustonlyhave", "mustnothave"};
  std::string spec =
      fmt::format("remediationAction: {}\nnamespaceSelector: {{include: ['n*']}}\nobject-templates:\n",
                  actions[random.below(3)]);
  for (int i = 0; i < 2; ++i) {
    // c0 may be unwanted, c1 never is: two templates never ask for opposite things.
    const char* rule = i == 0 ? rules[random.below(3)] : rules[random.below(2)];
    spec += fmt::format(
        "- {{complianceType: {}, objectDefinition: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: "
        "c{}}}, "
        "data: {{a: v{}}}}}}}\n",
        rule, i, random.below(2));
  }
  return spec;
}

struct AgentModel {
  using World = AgentWorld;
  using Observed = agent::Observed;
  using Action = agent::Action;

  std::vector<kube::ObjectKey> keys(const World&) const { return {{"policies", "p"}}; }

  // The answers to dry-runs are part of what is seen, as they are in a later round of a pass.
  Observed observe(const World& world, const kube::ObjectKey&) const {
    Observed seen = world.cluster.observe();
    SimulatedCluster copy = world.cluster;
    for (const Action& each : agent::decide(seen).actions)
      if (std::holds_alternative<TryUpdate>(each))
        FAIRWAY_CHECK(copy.act(each, seen.outcomes), "a dry-run is always answered");
    return seen;
  }
  kube::Plan<Action> decide(const Observed& seen) const { return agent::decide(seen); }

  Result<void> act(World& world, const Observed& seen, const Action& action) const {
    const bool is_enforced = Configuration::from(*seen.policy).is_enforced;
    const bool is_write = std::holds_alternative<CreateObject>(action) ||
                          std::holds_alternative<UpdateObject>(action) ||
                          std::holds_alternative<DeleteObject>(action);
    if (is_write && !is_enforced) world.broken = "an inform policy writes: " + describe(action);
    if (const auto* one = std::get_if<DeleteObject>(&action); one != nullptr && one->subject.name != "c0")
      world.broken = "deletes what no mustnothave template names: " + describe(action);
    Outcomes outcomes;
    return world.cluster.act(action, outcomes);
  }

  Result<void> invariant(const World& world) const {
    if (!world.broken.empty()) return fail(ErrorCode::Internal, world.broken);
    return {};
  }

  Result<void> settled(const World& world) const {
    const Configuration configuration = Configuration::from(world.cluster.policy());
    if (!configuration.is_enforced) return {};
    if (world.cluster.compliant() == "Compliant") return {};
    const bool has_namespace =
        world.cluster.find("Namespace n1") != nullptr || world.cluster.find("Namespace n2") != nullptr;
    if (!has_namespace) return {};
    return fail(ErrorCode::Internal,
                "an enforced policy ends as " + world.cluster.compliant() + ": " + world.cluster.message());
  }

  void disturb(World& world, kube::Random& random) const {
    SimulatedCluster& cluster = world.cluster;
    const std::string ns = fmt::format("n{}", random.below(2) + 1);
    const std::string name = fmt::format("c{}", random.below(3));
    cluster.now += std::chrono::seconds(random.below(20));
    switch (random.below(5)) {
      case 0:
        return cluster.set_policy(some_spec(random));
      case 1:
        return cluster.erase(fmt::format("ConfigMap {}/{}", ns, name));
      case 2:
        return cluster.put(fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", ns));
      case 3:
        return cluster.erase("Namespace " + ns);
      default:
        return cluster.put(fmt::format(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}, namespace: {}}}, data: {{a: "
            "v{}, b: {}}}}}",
            name, ns, random.below(3), random.below(2)));
    }
  }
};

TEST(AgentLaws, Hold) {
  AgentWorld world;
  world.cluster.put("{apiVersion: v1, kind: Namespace, metadata: {name: n1}}");
  kube::Random random(7);
  world.cluster.set_policy(some_spec(random));
  EXPECT_EQ(kube::testing::check_laws(AgentModel{}, world, {.seeds = 25, .steps = 100}),
            kube::testing::kLawful);
}

}  // namespace
}  // namespace fairway::fleet::agent
