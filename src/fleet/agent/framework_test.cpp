#include "fleet/agent/framework.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.hpp"
#include "fleet/templates/hub.hpp"
#include "json/testing/objects.hpp"
#include "kube/core/plan.hpp"

namespace fairway::fleet::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A hub with one child policy, and a cluster that keeps its ConfigurationPolicies.
struct World {
  kube::ObjectKey key{"member1", "ns.p"};
  ObjectPointer child = {};
  std::map<std::string, ObjectPointer> policies = {};
  std::map<Dependency, std::string> compliances = {};
  WallTime now{std::chrono::seconds(1'700'000'000)};
  std::int64_t version = 0;

  void set_child(std::string_view spec) {
    json::Object next = child ? *child : json::Object();
    json::Object& metadata = json::ensure_object(next, {"metadata"});
    metadata["name"] = key.name;
    metadata["namespace"] = key.namespace_;
    metadata["generation"] = child ? kube::generation_of(*child) + 1 : 1;
    next["spec"] = json::test_object(spec);
    child = std::make_shared<json::Object>(std::move(next));
  }

  ChildObserved observe() const {
    return {.key = key,
            .child = child,
            .cluster_namespace = "member1",
            .policies = policies,
            .compliances = compliances,
            .now = now};
  }

  void put(json::Object object) {
    json::Object& metadata = json::ensure_object(object, {"metadata"});
    metadata["resourceVersion"] = fmt::to_string(++version);
    if (!metadata.contains("uid")) metadata["uid"] = fmt::format("uid-{}", version);
    // As the CRD's defaults.
    json::Object& spec = json::ensure_object(object, {"spec"});
    if (!spec.contains("pruneObjectBehavior")) spec["pruneObjectBehavior"] = "None";
    policies[std::string(kube::name_of(object))] = std::make_shared<json::Object>(object);
  }

  void act(const FrameworkAction& action) {
    if (const auto* one = std::get_if<CreatePolicy>(&action)) {
      json::Object object = one->object;
      json::ensure_object(object, {"metadata"})["generation"] = 1;
      put(std::move(object));
    } else if (const auto* changed = std::get_if<UpdatePolicy>(&action)) {
      json::Object object = changed->object;
      const ObjectPointer before = policies.at(std::string(kube::name_of(object)));
      ASSERT_EQ(kube::resource_version_of(object), kube::resource_version_of(*before));
      json::ensure_object(object, {"metadata"})["generation"] = kube::generation_of(*before) + 1;
      put(std::move(object));
    } else if (const auto* removed = std::get_if<DeletePolicy>(&action)) {
      policies.erase(removed->key.name);
    } else {
      json::Object next = *child;
      next["status"] = std::get<WriteChildStatus>(action).status;
      child = std::make_shared<json::Object>(std::move(next));
    }
  }

  std::string pass() {
    std::string told;
    for (const FrameworkAction& each : decide_child(observe()).actions) {
      told += describe(each) + "\n";
      act(each);
    }
    return told;
  }

  // What the other half of the agent says of a ConfigurationPolicy.
  void evaluate(const std::string& name, const std::string& message) {
    now += std::chrono::seconds(1);
    json::Object next = *policies.at(name);
    json::Object& status = json::ensure_object(next, {"status"});
    json::Array history;
    if (const json::Array* found = json::get_array(status, {"history"})) history = *found;
    history.insert(history.begin(),
                   json::Object{{"lastTimestamp", format_rfc3339_micro(now)}, {"message", message}});
    status["history"] = history;
    status["compliant"] = compliance_in(message);
    status["lastEvaluatedGeneration"] = kube::generation_of(next);
    policies[name] = std::make_shared<json::Object>(std::move(next));
  }

  std::string compliant() const {
    return std::string(json::get_string(*child, {"status", "compliant"}).value_or(""));
  }
  std::optional<std::int64_t> observed() const {
    return json::get_int(*child, {"status", "observedGeneration"});
  }
  std::vector<std::string> messages(std::size_t of = 0) const {
    std::vector<std::string> out;
    const json::Array* details = json::get_array(*child, {"status", "details"});
    if (const json::Array* history = json::get_array(details->at(of).get_object(), {"history"}))
      for (const json::Value& each : *history)
        out.emplace_back(json::get_string(each.get_object(), {"message"}).value_or(""));
    return out;
  }
};

std::string spec(std::string_view more, std::string_view templates = "") {
  return fmt::format(
      "disabled: false\n{}\npolicy-templates:\n{}", more,
      templates.empty()
          ? "- objectDefinition: {apiVersion: policy.open-cluster-management.io/v1, kind: "
            "ConfigurationPolicy, metadata: {name: c}, spec: {remediationAction: inform, severity: "
            "low, object-templates: []}}"
          : templates);
}

std::string one(std::string_view name, std::string_view spec_text = "{object-templates: []}",
                std::string_view more = "") {
  return fmt::format(
      "- objectDefinition: {{apiVersion: policy.open-cluster-management.io/v1, kind: ConfigurationPolicy, "
      "metadata: "
      "{{name: {}}}, spec: {}}}\n{}\n",
      name, spec_text, more);
}

TEST(Framework, MaterialisesAndFollows) {
  World world;
  world.set_child(spec(""));
  EXPECT_EQ(world.pass(), "create ConfigurationPolicy member1/c\nwrite the status of member1/ns.p: \n");
  const json::Object& made = *world.policies.at("c");
  EXPECT_EQ(kube::label(made, kPolicyLabel), "ns.p");
  EXPECT_EQ(kube::label(made, "policy.open-cluster-management.io/cluster-name"), "member1");
  EXPECT_EQ(world.pass(), "");
  EXPECT_EQ(world.observed(), 0);
  world.evaluate("c", "NonCompliant; violation - namespaces [foo] not found");
  EXPECT_EQ(world.pass(), "write the status of member1/ns.p: NonCompliant\n");
  EXPECT_EQ(world.observed(), 1);
  EXPECT_THAT(world.messages(), ElementsAre("NonCompliant; violation - namespaces [foo] not found"));
  EXPECT_EQ(world.pass(), "");
}

// What is encrypted in the template is read with it.
TEST(Framework, TheInitializationVectorComesAlong) {
  World world;
  world.set_child(spec(""));
  json::Object child = *world.child;
  kube::set_annotation(child, templates::kEncryptionVector, "AAAAAAAAAAAAAAAAAAAAAA==");
  world.child = std::make_shared<json::Object>(child);
  world.pass();
  EXPECT_EQ(kube::annotation(*world.policies.at("c"), templates::kEncryptionVector),
            "AAAAAAAAAAAAAAAAAAAAAA==");
}

// D22: a finding from before the flip is never taken for one after it.
TEST(Framework, ObservedGenerationIncludesTheFlip) {
  World world;
  world.set_child(spec("remediationAction: inform"));
  world.pass();
  world.evaluate("c", "Compliant; notification - fine");
  world.pass();
  EXPECT_EQ(world.observed(), 1);
  world.set_child(spec("remediationAction: enforce"));
  EXPECT_EQ(world.pass(), "update ConfigurationPolicy member1/c (enforce)\n");
  EXPECT_EQ(world.observed(), 1);
  EXPECT_EQ(world.pass(), "") << "not evaluated yet";
  EXPECT_EQ(world.observed(), 1);
  world.evaluate("c", "Compliant; notification - fine");
  EXPECT_EQ(world.pass(), "write the status of member1/ns.p: Compliant\n");
  EXPECT_EQ(world.observed(), 2);
}

TEST(Framework, InformOnlyIsNotOverridden) {
  World world;
  world.set_child(spec("remediationAction: enforce", one("a", "{remediationAction: informonly}") +
                                                         one("b", "{remediationAction: inform}")));
  world.pass();
  EXPECT_EQ(json::get_string(*world.policies.at("a"), {"spec", "remediationAction"}), "informonly");
  EXPECT_EQ(json::get_string(*world.policies.at("b"), {"spec", "remediationAction"}), "enforce");
}

TEST(Framework, BothEntriesOfAPassReachTheHub) {
  World world;
  world.set_child(spec(""));
  world.pass();
  world.evaluate("c", "NonCompliant; violation - namespaces [foo] not found");
  world.evaluate("c", "Compliant; notification - namespaces [foo] was created successfully");
  world.pass();
  EXPECT_THAT(world.messages(),
              ElementsAre("Compliant; notification - namespaces [foo] was created successfully",
                          "NonCompliant; violation - namespaces [foo] not found"));
  for (int i = 0; i < 15; ++i) {
    world.evaluate("c", fmt::format("Compliant; {}", i));
    world.pass();
  }
  EXPECT_EQ(world.messages().size(), 10U);
  EXPECT_EQ(world.messages().front(), "Compliant; 14");
}

TEST(Framework, DependenciesArePending) {
  const std::string waits =
      "dependencies: [{apiVersion: policy.open-cluster-management.io/v1, kind: Policy, name: ns.first, "
      "namespace: '', compliance: Compliant}]";
  World world;
  world.set_child(spec(waits));
  EXPECT_EQ(world.pass(), "write the status of member1/ns.p: Pending\n");
  EXPECT_THAT(world.messages(),
              ElementsAre("Pending; Dependencies were not satisfied: 1 is still pending (Policy ns.first)"));
  EXPECT_EQ(world.observed(), 1);
  const auto dependencies = dependencies_of(*world.child);
  ASSERT_EQ(dependencies.size(), 1U);
  world.compliances[dependencies[0]] = "NonCompliant";
  EXPECT_EQ(world.pass(), "");
  world.compliances[dependencies[0]] = "Compliant";
  EXPECT_THAT(world.pass(), StartsWith("create ConfigurationPolicy member1/c\n"));
  world.evaluate("c", "Compliant; fine");
  world.pass();
  EXPECT_EQ(world.compliant(), "Compliant");
  world.compliances.clear();
  EXPECT_EQ(world.pass(),
            "delete ConfigurationPolicy member1/c\nwrite the status of member1/ns.p: Pending\n");
}

TEST(Framework, IgnorePendingAndExtraDependencies) {
  World world;
  const std::string extra =
      "  ignorePending: true\n  extraDependencies: [{kind: ConfigurationPolicy, apiVersion: "
      "policy.open-cluster-management.io/v1, name: x, compliance: Compliant}, {kind: Policy, name: z, "
      "compliance: NonCompliant}]";
  world.set_child(spec("", one("a", "{}", extra)));
  world.pass();
  EXPECT_EQ(world.compliant(), "Compliant");
  EXPECT_THAT(world.messages(), ElementsAre("Compliant; Dependencies were not satisfied: 2 are still pending "
                                            "(ConfigurationPolicy x, Policy z) but ignorePending is true"));
}

TEST(Framework, TemplateFaultsAreNonCompliant) {
  struct Case {
    std::string templates;
    const char* text;
  };
  const Case cases[] = {
      {"- objectDefinition: {kind: ConfigurationPolicy}\n",
       "NonCompliant; template-error; Failed to get name"},
      {"- objectDefinition: {apiVersion: v1, kind: Odd, metadata: {name: a}, spec: {}}\n",
       "NonCompliant; template-error; Mapping not found"},
      {one("a", "{object-templates-raw: '{{hub .ManagedClusterName hub}}'}"),
       "NonCompliant; template-error; the template has hub"},
      {"- objectDefinition: {apiVersion: policy.open-cluster-management.io/v1, kind: ConfigurationPolicy, "
       "metadata: {name: a, "
       "annotations: {policy.open-cluster-management.io/hub-templates-error: bad hub}}, spec: {}}\n",
       "NonCompliant; template-error; bad hub"},
  };
  for (const Case& each : cases) {
    World world;
    world.set_child(spec("", each.templates));
    world.pass();
    EXPECT_EQ(world.compliant(), "NonCompliant");
    EXPECT_THAT(world.messages(), ElementsAre(StartsWith(each.text)));
    EXPECT_TRUE(world.policies.empty());
    EXPECT_EQ(world.observed(), 1);
  }
}

TEST(Framework, WhatTheClusterRefusesIsATemplateError) {
  World world;
  world.set_child(spec("", one("a") + one("b")));
  ChildObserved seen = world.observe();
  const auto first = decide_child(seen);
  const json::Object refused = std::get<CreatePolicy>(first.actions.at(0)).object;
  seen.refusals["a"] = {digest_of(refused), "spec.odd: not known", world.now};
  const auto told = decide_child(seen);
  EXPECT_EQ(kube::to_text(kube::summary(told)).substr(0, 42), "do:   create ConfigurationPolicy member1/b");
  const auto& status = std::get<WriteChildStatus>(told.actions.at(1)).status;
  EXPECT_EQ(json::get_string(status, {"compliant"}), "NonCompliant");
  EXPECT_EQ(told.wake_at, world.now + std::chrono::minutes(1));
  // Another template, or the time, is another attempt.
  seen.now += std::chrono::minutes(1);
  EXPECT_TRUE(std::holds_alternative<CreatePolicy>(decide_child(seen).actions.at(1)));
  seen.now = world.now;
  world.set_child(spec("", one("a", "{severity: low}") + one("b")));
  seen.child = world.child;
  EXPECT_TRUE(std::holds_alternative<CreatePolicy>(decide_child(seen).actions.at(1)));
}

TEST(Framework, NamesAreUnique) {
  World world;
  world.put(json::test_object(
      "{metadata: {name: c, labels: {policy.open-cluster-management.io/policy: ns.other}}}"));
  world.put(json::test_object("{metadata: {name: d}}"));
  world.set_child(spec("", one("c") + one("d") + one("e") + one("e")));
  EXPECT_EQ(world.pass(),
            "create ConfigurationPolicy member1/e\nwrite the status of member1/ns.p: NonCompliant\n");
  EXPECT_THAT(world.messages(0), ElementsAre(HasSubstr("already exists in policy \"ns.other\"")));
  EXPECT_THAT(world.messages(1), ElementsAre(HasSubstr("already exists in policy of nobody")));
  EXPECT_THAT(world.messages(3), ElementsAre(HasSubstr("more than one")));
}

TEST(Framework, OverallCompliance) {
  World world;
  world.set_child(spec("", one("a") + one("b")));
  world.pass();
  world.evaluate("a", "compliant; fine");
  world.pass();
  EXPECT_EQ(world.compliant(), "") << "what one does not say, the whole does not say";
  world.evaluate("b", "Compliant; fine");
  world.pass();
  EXPECT_EQ(world.compliant(), "Compliant");
  world.evaluate("b", "Odd");
  world.pass();
  EXPECT_EQ(world.compliant(), "NonCompliant");
  world.policies.erase("b");
  world.set_child(spec("", one("a") + one("new")));
  world.pass();
  EXPECT_EQ(world.compliant(), "") << "cleared, not left as it was";
}

TEST(Framework, EditsAreUndoneAndDefaultsAreNot) {
  World world;
  world.set_child(spec("remediationAction: enforce"));
  world.pass();
  EXPECT_EQ(world.pass(), "") << "the server's defaults";
  json::Object edited = *world.policies.at("c");
  json::ensure_object(edited, {"spec"})["remediationAction"] = "inform";
  world.put(edited);
  EXPECT_EQ(world.pass(), "update ConfigurationPolicy member1/c (enforce)\n");
  world.set_child(spec("remediationAction: enforce", one("c", "{object-templates: []}")));
  EXPECT_EQ(world.pass(), "update ConfigurationPolicy member1/c (enforce)\n");
  EXPECT_FALSE(json::get_object(*world.policies.at("c"), {"spec"})->contains("severity"))
      << "a field that went";
}

TEST(Framework, WhatIsGoneOrDisabledTakesItsPoliciesAlong) {
  World world;
  world.put(json::test_object("{metadata: {name: foreign}}"));
  world.set_child(spec("", one("a") + one("b")));
  world.pass();
  world.set_child(spec("", one("a")));
  EXPECT_THAT(world.pass(), StartsWith("delete ConfigurationPolicy member1/b\n"));
  world.set_child("{disabled: true, policy-templates: []}");
  EXPECT_EQ(world.pass(), "delete ConfigurationPolicy member1/a\n");
  world.set_child(spec("", one("a")));
  world.pass();
  world.child = nullptr;
  EXPECT_EQ(world.pass(), "delete ConfigurationPolicy member1/a\n");
  EXPECT_TRUE(world.policies.contains("foreign"));
}

TEST(Framework, AFaultThatGoesAwayIsForgotten) {
  World world;
  world.set_child(spec("", one("a")));
  world.pass();
  world.evaluate("a", "Compliant; fine");
  world.pass();
  world.set_child(spec("", one("a", "{object-templates-raw: '{{hub x hub}}'}")));
  world.pass();
  EXPECT_EQ(world.compliant(), "NonCompliant");
  world.set_child(spec("", one("a")));
  world.pass();
  EXPECT_EQ(world.compliant(), "Compliant") << "the policy in the cluster never changed, and still says so";
}

}  // namespace
}  // namespace fairway::fleet::agent
