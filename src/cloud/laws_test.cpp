// The three laws of the cloud's decision, in seeded interleavings of users, failures, restarts and time.
#include "kube/runtime/testing/laws.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cloud/decide_testing.hpp"

namespace fairway::cloud {
namespace {

using testing::kKey;
using testing::kOther;
using testing::SimulatedCluster;

struct CloudModel {
  using World = SimulatedCluster;
  using Observed = cloud::Observed;
  using Action = cloud::Action;

  std::vector<kube::ObjectKey> keys(const World&) const { return {kKey, kOther}; }
  Observed observe(const World& world, const kube::ObjectKey& key) const { return world.observe(key); }
  kube::Plan<Action> decide(const Observed& seen) const { return cloud::decide(seen); }
  Result<void> act(World& world, const Observed&, const Action& action) const { return world.act(action); }

  // No address has two owners; no load balancer stands without the finalizer that will clean it up; what
  // cannot change has not changed; nobody is served by what was never made.
  Result<void> invariant(const World& world) const {
    if (!world.violations.empty()) return fail(ErrorCode::Internal, world.violations.front());
    std::map<std::string, kube::ObjectKey> owners;
    for (const auto& [key, service] : world.services) {
      const auto record = load_balancer_of(service);
      if (!record) continue;
      for (const std::string& address : addresses_of(*record)) {
        const auto [place, is_new] = owners.emplace(address, key);
        if (!is_new) return fail(ErrorCode::Internal, address + " belongs to two");
      }
      if (!kube::has_finalizer(service, kCleanupFinalizer) && !kube::label(service, "cut-loose"))
        return fail(ErrorCode::Internal, key.to_string() + " has no finalizer");
      const auto made = world.made.find(record->uid);
      if (!world.settings->profile.is_mutable && made != world.made.end() && made->second != record->scope)
        return fail(ErrorCode::Internal, key.to_string() + " has changed its scope");
      if (!world.settings->range(record->scope).contains(record->address))
        return fail(ErrorCode::Internal, record->address + " is of the other range");
    }
    std::set<std::string> served;
    for (const auto& [key, frontend] : world.serving)
      if (!served.insert(frontend.address).second)
        return fail(ErrorCode::Internal, frontend.address + " is served twice");
    return {};
  }

  // What is wanted is there, published and served, or is under way or refused; what is not wanted is gone.
  Result<void> settled(const World& world) const {
    for (const auto& [key, service] : world.services) {
      const auto record = load_balancer_of(service);
      const bool is_served = world.serving.contains(key);
      const bool is_waiting = cloud::decide(world.observe(key)).wake_at.has_value();
      const bool is_stuck = record && record->operation &&
                            record->operation->kind == Operation::Kind::Delete && world.faults.stuck_deletes;
      if (is_waiting || is_stuck) continue;
      if (!wants_load_balancer(service)) {
        if (record || is_served || (kube::has_finalizer(service, kCleanupFinalizer) && !has_class(service)))
          return fail(ErrorCode::Internal, key.to_string() + " was not cleaned up");
        continue;
      }
      if (!record || !record->is_live() || !is_served)
        return fail(ErrorCode::Internal, key.to_string() + " is not served");
      if (published_of(service) != std::vector{published_name(*record, *world.settings)})
        return fail(ErrorCode::Internal, key.to_string() + " is not published");
      if (world.settings->profile.is_mutable &&
          record->scope != asked_scope(service, world.settings->profile))
        return fail(ErrorCode::Internal, key.to_string() + " was not changed in place");
      if (world.serving.at(key) != frontend_of(service, *record, *world.settings))
        return fail(ErrorCode::Internal, key.to_string() + " is served as it was before");
    }
    return {};
  }

  void disturb(World& world, kube::Random& random) const {
    const kube::ObjectKey& key = random.below(2) == 0 ? kKey : kOther;
    const Scope scope = random.below(2) == 0 ? Scope::Internal : Scope::External;
    switch (random.below(15)) {
      case 0:
      case 1:
        return world.create(key, scope);
      case 2:
        return world.remove(key);
      case 3:
      case 4:
        return world.set_scope(scope, key);
      case 5:
        return world.edit(
            [&](json::Object& service) {
              const bool is_wanted = random.below(2) == 0;
              service["spec"].get_object()["type"] = is_wanted ? "LoadBalancer" : "ClusterIP";
            },
            key);
      case 6:
        return world.edit(
            [&](json::Object& service) {
              service["spec"].get_object()["loadBalancerSourceRanges"] =
                  json::Array{json::Value(fmt::format("10.{}.0.0/16", random.below(3)))};
            },
            key);
      case 7:  // a user takes the finalizer away, which frees the Service and loses the cloud's grip on it
        return world.edit(
            [&](json::Object& service) {
              if (!kube::is_being_deleted(service) && kube::remove_finalizer(service, kCleanupFinalizer))
                kube::set_label(service, "cut-loose", "");
            },
            key);
      case 8:
        world.faults.fail_creates = static_cast<std::uint32_t>(random.below(3));
        world.faults.fail_changes = static_cast<std::uint32_t>(random.below(3));
        world.faults.fail_deletes = static_cast<std::uint32_t>(random.below(3));
        return;
      case 9:
        world.faults.stuck_deletes = random.below(3) == 0;
        world.faults.lose_status_writes = static_cast<std::uint32_t>(random.below(2));
        if (random.below(4) == 0) {
          world.faults.quota = 1;
        } else {
          world.faults.quota.reset();
        }
        return;
      case 11: {  // a copy is given what is written on its original
        const kube::ObjectKey& original = key == kKey ? kOther : kKey;
        if (!world.record(original) || world.record(key)) return;
        const std::string text = world.annotated(kRecordAnnotation, original);
        return world.edit(
            [&](json::Object& service) { kube::set_annotation(service, kRecordAnnotation, text); }, key);
      }
      case 10:  // the cloud is killed: what it serves and what it remembers of failures is gone
        world.serving.clear();
        world.attempts.clear();
        return;
      default:
        return world.pass(std::chrono::milliseconds(random.below(20'000)));
    }
  }
};

class Laws : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Cloud, Laws,
                         ::testing::Values("AWS", "Azure", "GCP", "IBMCloud", "OpenStack", "None"),
                         [](const auto& each) { return std::string(each.param); });

// A few interleavings of each platform; FAIRWAY_CLOUD_RUNS asks for more.
TEST_P(Laws, HoldInEveryInterleaving) {
  // Two addresses in each range, for two Services.
  SimulatedCluster world(GetParam(), 30);
  world.create(kKey);
  world.create(kOther);
  kube::testing::LawOptions options{.seeds = 20, .steps = 100, .max_rounds = 60, .disturbing = 0.25};
  if (const char* runs = std::getenv("FAIRWAY_CLOUD_RUNS"))
    options.seeds = static_cast<int>(parse_unsigned(runs).value_or(100));
  EXPECT_EQ(kube::testing::check_laws(CloudModel{}, world, options), kube::testing::kLawful);
}

}  // namespace
}  // namespace fairway::cloud
