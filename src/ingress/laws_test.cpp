// The three laws of every controller, with the promise "no Service of a living controller is deleted without
// consent": users, clouds, restarts and other operators in any order.
#include "kube/runtime/testing/laws.hpp"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "ingress/consent.hpp"
#include "ingress/decide_testing.hpp"

namespace fairway::ingress {
namespace {

using testing::kName;
using testing::load_balancer;
using testing::SimulatedCluster;

// Users, an older operator, the cloud and the operator itself do what they like, in any order.
struct IngressModel {
  using World = SimulatedCluster;
  using Observed = ingress::Observed;
  using Action = ingress::Action;

  std::vector<kube::ObjectKey> keys(const World&) const {
    return {{std::string(kOperatorNamespace), kName}, {std::string(kOperatorNamespace), "other"}};
  }
  Observed observe(const World& world, const kube::ObjectKey& key) const { return world.observe(key.name); }
  kube::Plan<Action> decide(const Observed& seen) const { return ingress::decide(seen); }
  Result<void> act(World& world, const Observed&, const Action& action) const { return world.act(action); }

  Result<void> invariant(const World& world) const {
    if (!world.violations.empty()) return fail(ErrorCode::Internal, world.violations.front());
    return {};
  }
  // Everything that nobody has to agree to is done.
  Result<void> settled(const World& world) const {
    for (const auto& [name, each] : world.controllers) {
      const json::Object* service = world.service(name);
      if (each->metadata.deletion_timestamp || (service != nullptr && !is_owned_service(*service, name)))
        continue;
      if (!kube::is_condition_true(each->status.conditions, "Admitted")) continue;
      if (service == nullptr) return fail(ErrorCode::Internal, name + " is not published");
      const LoadBalancerStrategy* published = load_balancer_of(each->status.endpoint_publishing_strategy);
      const LoadBalancerStrategy* asked = load_balancer_of(each->spec.endpoint_publishing_strategy);
      if (published == nullptr || (asked != nullptr && scope_of(published->scope) != scope_of(asked->scope)))
        return fail(ErrorCode::Internal, "the status of " + name + " does not say what is wanted");
      const bool is_as_wanted =
          observed_scope(*service, *world.config.platform) == scope_of(published->scope);
      const bool is_told = kube::is_condition_true(each->status.conditions, "Progressing") ||
                           kube::is_condition_false(each->status.conditions, "ScopeSupported");
      if (!is_as_wanted && !is_told)
        return fail(ErrorCode::Internal, "a difference of " + name + " is not told");
      if (!is_as_wanted && world.config.platform->is_mutable && !kube::is_being_deleted(*service))
        return fail(ErrorCode::Internal, name + " was not changed in place");
    }
    return {};
  }

  void disturb(World& world, kube::Random& random) const {
    const std::string name = random.below(2) == 0 ? kName : "other";
    const std::string_view scope = random.below(2) == 0 ? "Internal" : "External";
    switch (random.below(20)) {
      case 0:
        if (!world.controllers.contains(name)) world.create(name, load_balancer(scope));
        return;
      case 1:
        return random.below(4) == 0 ? world.remove(name) : world.set_scope(scope, name);
      case 2:
        return world.set_scope(scope, name);
      case 3:
        return world.annotate(random.below(2) == 0 ? "" : "false", name);
      case 4:
        return world.withdraw(name);
      case 5:
        return world.delete_service(name);
      case 6:
        return world.edit_service(
            [&](json::Object& service) {
              const auto& annotation = world.config.platform->scope;
              if (annotation) kube::set_annotation(service, annotation->key, annotation->internal);
            },
            name);
      case 7:  // another one of the same name, which nobody may touch
        if (random.below(4) == 0 && world.service(name) == nullptr)
          world.put(*json::parse_object(fmt::format(
              R"({{"kind":"Service","apiVersion":"v1","metadata":{{"name":"{}","namespace":"openshift-ingress",
                "labels":{{"example.test/foreign":""}}}},"spec":{{"type":"ClusterIP"}}}})",
              router_name(name))));
        return;
      case 8:  // replaced by its copy
        if (const json::Object* service = world.service(name)) {
          json::Object copy = *service;
          json::remove(copy["metadata"].get_object(), "deletionTimestamp");
          world.put(std::move(copy));
        }
        return;
      case 9:  // an older operator, or a third party, writes the status
        return world.change(
            [&](IngressController& edited) {
              auto& strategy = edited.status.endpoint_publishing_strategy;
              if (random.below(2) == 0 && strategy) strategy->load_balancer.reset();
              if (strategy && strategy->load_balancer) strategy->load_balancer->scope = std::string(scope);
            },
            name);
      case 10:
        world.is_deletion_stuck = random.below(3) == 0;
        world.is_changing = random.below(3) != 0;
        return;
      case 11:
        return world.pass(std::chrono::seconds(random.below(7200)));
      case 12:  // consent is narrowed, by what can be read and by what cannot, and widened again
        return world.change(
            [&](IngressController& edited) {
              constexpr std::array<const char*, 3> kWindows = {"02:00-04:00", "00:00-24:00", "at night"};
              auto& annotations = edited.metadata.annotations;
              annotations[std::string(kAutoDeleteWindow)] = kWindows[random.below(kWindows.size())];
              if (random.below(2) == 0) annotations.erase(std::string(kAutoDeleteWindow));
            },
            name);
      case 13:
        return world.change(
            [&](IngressController& edited) {
              auto& annotations = edited.metadata.annotations;
              if (annotations.erase(std::string(kAutoDeleteDryRun)) == 0)
                annotations[std::string(kAutoDeleteDryRun)] = "";
            },
            name);
      default:
        return world.run_cloud();
    }
  }
};

// A few interleavings of each platform, of 80 steps; FAIRWAY_INGRESS_RUNS says how many of all platforms
// together.
constexpr std::array<std::string_view, 6> kPlayed = {"AWS",      "Azure",     "GCP",
                                                     "IBMCloud", "OpenStack", "BareMetal"};
class Laws : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Ingress, Laws, ::testing::ValuesIn(kPlayed));

TEST_P(Laws, NoServiceIsDeletedWithoutConsentInAnyInterleaving) {
  SimulatedCluster world(GetParam());
  world.create(kName, load_balancer("External"));
  world.settle();
  kube::testing::LawOptions options{.seeds = 25, .steps = 80, .disturbing = 0.2, .stale = 0.15};
  if (const char* runs = std::getenv("FAIRWAY_INGRESS_RUNS"))
    options.seeds = static_cast<int>(parse_unsigned(runs).value_or(600) / kPlayed.size() + 1);
  EXPECT_EQ(kube::testing::check_laws(IngressModel{}, world, options), kube::testing::kLawful);
}

}  // namespace
}  // namespace fairway::ingress
