// The three laws for the framework half of the agent, with its promises: a ConfigurationPolicy that belongs
// to another is never touched, and a generation is called observed only when every template was judged as
// that generation asks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fleet/agent/framework.hpp"
#include "json/yaml.hpp"
#include "kube/runtime/testing/laws.hpp"

namespace fairway::fleet::agent {
namespace {

const kube::ObjectKey kChild{"member1", "ns.p"};

struct FrameworkWorld {
  ObjectPointer child = {};
  std::map<std::string, ObjectPointer> policies = {};
  WallTime now{std::chrono::seconds(1'700'000'000)};
  std::int64_t version = 0;
  std::string broken = {};  // a promise

  void put_policy(json::Object object) {
    json::Object& metadata = json::ensure_object(object, {"metadata"});
    metadata["resourceVersion"] = fmt::to_string(++version);
    if (!metadata.contains("uid")) metadata["uid"] = fmt::format("uid-{}", version);
    const std::string name(kube::name_of(object));
    policies[name] = std::make_shared<json::Object>(std::move(object));
  }

  void set_child(std::string_view spec) {
    json::Object next = child ? *child : json::Object();
    json::Object& metadata = json::ensure_object(next, {"metadata"});
    metadata["name"] = kChild.name;
    metadata["namespace"] = kChild.namespace_;
    metadata["generation"] = child ? kube::generation_of(*child) + 1 : 1;
    metadata["resourceVersion"] = fmt::to_string(++version);
    next["spec"] = *json::parse_yaml(spec);
    child = std::make_shared<json::Object>(std::move(next));
  }

  // What the other half of the agent does: it finds an enforced policy compliant, and others as they are.
  void evaluate(const std::string& name, bool is_compliant) {
    const auto found = policies.find(name);
    if (found == policies.end()) return;
    json::Object next = *found->second;
    json::Object& status = json::ensure_object(next, {"status"});
    const bool is_enforced = json::get_string(next, {"spec", "remediationAction"}) == "enforce";
    const std::string message = is_enforced || is_compliant ? "Compliant; fine" : "NonCompliant; not so";
    json::Array history;
    if (const json::Array* before = json::get_array(status, {"history"})) history = *before;
    history.insert(history.begin(),
                   json::Object{{"lastTimestamp", format_rfc3339_micro(now)}, {"message", message}});
    if (history.size() > 10) history.resize(10);
    status["history"] = std::move(history);
    status["compliant"] = compliance_in(message);
    status["lastEvaluatedGeneration"] = kube::generation_of(next);
    put_policy(std::move(next));
  }
};

std::string some_spec(kube::Random& random) {
  std::string spec = fmt::format("disabled: {}\nremediationAction: {}\npolicy-templates:\n",
                                 random.below(8) == 0, random.below(2) == 0 ? "inform" : "enforce");
  for (const char* name : {"a", "b", "foreign"}) {
    if (random.below(3) == 0) continue;
    spec += fmt::format(
        "- objectDefinition: {{apiVersion: policy.open-cluster-management.io/v1, kind: ConfigurationPolicy, "
        "metadata: "
        "{{name: {}}}, spec: {{version: {}}}}}\n",
        name, random.below(2));
  }
  return spec.ends_with("templates:\n") ? spec + "- objectDefinition: {}\n" : spec;
}

struct FrameworkModel {
  using World = FrameworkWorld;
  using Observed = ChildObserved;
  using Action = FrameworkAction;

  std::vector<kube::ObjectKey> keys(const World&) const { return {kChild}; }
  Observed observe(const World& world, const kube::ObjectKey& key) const {
    return {.key = key,
            .child = world.child,
            .cluster_namespace = "member1",
            .policies = world.policies,
            .now = world.now};
  }
  kube::Plan<Action> decide(const Observed& seen) const { return decide_child(seen); }

  Result<void> act(World& world, const Observed& seen, const Action& action) const {
    if (const auto* made = std::get_if<CreatePolicy>(&action)) {
      if (world.policies.contains(std::string(kube::name_of(made->object))))
        return fail(ErrorCode::Conflict, "it exists");
      json::Object object = made->object;
      json::ensure_object(object, {"metadata"})["generation"] = 1;
      world.put_policy(std::move(object));
    } else if (const auto* changed = std::get_if<UpdatePolicy>(&action)) {
      const auto found = world.policies.find(std::string(kube::name_of(changed->object)));
      if (found == world.policies.end() ||
          kube::resource_version_of(*found->second) != kube::resource_version_of(changed->object))
        return fail(ErrorCode::Conflict, "it has changed");
      json::Object object = changed->object;
      const bool is_other = !json::same_value(object.at("spec"), found->second->at("spec"));
      json::ensure_object(object, {"metadata"})["generation"] =
          kube::generation_of(*found->second) + (is_other ? 1 : 0);
      check_owner(world, *found->second);
      world.put_policy(std::move(object));
    } else if (const auto* removed = std::get_if<DeletePolicy>(&action)) {
      const auto found = world.policies.find(removed->key.name);
      if (found == world.policies.end()) return {};
      if (kube::uid_of(*found->second) != removed->uid) return fail(ErrorCode::Conflict, "it is another");
      check_owner(world, *found->second);
      world.policies.erase(found);
    } else {
      check_claim(world, seen, std::get<WriteChildStatus>(action).status);
      return write(world, std::get<WriteChildStatus>(action));
    }
    return {};
  }

  static void check_owner(World& world, const json::Object& policy) {
    if (kube::label(policy, kPolicyLabel) != kChild.name) world.broken = "a policy of another was touched";
  }

  static Result<void> write(World& world, const WriteChildStatus& action) {
    if (!world.child || kube::resource_version_of(*world.child) != kube::resource_version_of(*action.child))
      return fail(ErrorCode::Conflict, "the child has changed");
    json::Object next = *world.child;
    next["status"] = action.status;
    json::ensure_object(next, {"metadata"})["resourceVersion"] = fmt::to_string(++world.version);
    world.child = std::make_shared<json::Object>(std::move(next));
    return {};
  }

  Result<void> invariant(const World& world) const {
    if (!world.broken.empty()) return fail(ErrorCode::Internal, world.broken);
    return {};
  }

  // Of every template of the child, that can be used: what `judge` says of its policy among these.
  static std::string each_policy(const json::Object& child,
                                 const std::map<std::string, ObjectPointer>& policies,
                                 std::string (*judge)(const json::Object& child,
                                                      const json::Object& policy)) {
    for (const json::Value& each : *json::get_array(child, {"spec", "policy-templates"})) {
      const std::string name(kube::name_of(each.get_object().at("objectDefinition").get_object()));
      if (name.empty() || name == "foreign") continue;
      const auto found = policies.find(name);
      if (found == policies.end()) return name + " is missing";
      if (const std::string wrong = judge(child, *found->second); !wrong.empty()) return name + wrong;
    }
    return "";
  }
  static std::string as_asked(const json::Object& child, const json::Object& policy) {
    const bool is_same = json::get_string(policy, {"spec", "remediationAction"}) ==
                         json::get_string(child, {"spec", "remediationAction"});
    return is_same ? "" : " has another remediationAction";
  }
  static std::string as_asked_and_judged(const json::Object& child, const json::Object& policy) {
    if (json::get_int(policy, {"status", "lastEvaluatedGeneration"}) != kube::generation_of(policy))
      return " was not looked at yet";
    return as_asked(child, policy);
  }

  // When a generation is called observed, every template was judged as that generation asks.
  static void check_claim(World& world, const Observed& seen, const json::Object& status) {
    const auto claimed = json::get_int(status, {"observedGeneration"});
    const bool is_new = claimed != json::get_int(*seen.child, {"status", "observedGeneration"});
    if (!is_new || claimed != kube::generation_of(*seen.child)) return;
    const std::string wrong = each_policy(*seen.child, seen.policies, as_asked_and_judged);
    if (!wrong.empty()) world.broken = "the generation is called observed, but " + wrong;
  }

  Result<void> settled(const World& world) const {
    if (!world.child || json::get_bool(*world.child, {"spec", "disabled"}).value_or(false)) return {};
    const std::string wrong = each_policy(*world.child, world.policies, as_asked);
    return wrong.empty() ? Result<void>{} : fail(ErrorCode::Internal, wrong);
  }

  void disturb(World& world, kube::Random& random) const {
    world.now += std::chrono::seconds(1 + random.below(5));
    const std::string name = random.below(2) == 0 ? "a" : "b";
    switch (random.below(6)) {
      case 0:
        return world.set_child(some_spec(random));
      case 1: {
        world.policies.erase(name);
        return;
      }
      case 2: {
        const auto found = world.policies.find(name);
        if (found == world.policies.end()) return;
        json::Object edited = *found->second;
        json::ensure_object(edited, {"spec"})["remediationAction"] = "inform";
        json::ensure_object(edited, {"metadata"})["generation"] = kube::generation_of(edited) + 1;
        return world.put_policy(std::move(edited));
      }
      default:
        return world.evaluate(name, random.below(2) == 0);
    }
  }
};

TEST(FrameworkLaws, Hold) {
  FrameworkWorld world;
  world.put_policy(*json::parse_object(R"({"metadata":{"name":"foreign","generation":1},"spec":{}})"));
  kube::Random random(3);
  world.set_child(some_spec(random));
  EXPECT_EQ(kube::testing::check_laws(FrameworkModel{}, world, {.seeds = 30, .steps = 100}),
            kube::testing::kLawful);
}

}  // namespace
}  // namespace fairway::fleet::agent
