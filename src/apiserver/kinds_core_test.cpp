#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(KindsNamespace, IsBornActiveWithItsFinalizerAndLabel) {
  const Outcome made =
      create(builtin("", "Namespace"), "metadata: {name: team-a}\nstatus: {phase: Terminating}");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("spec/finalizers"), R"(["kubernetes"])");
  EXPECT_EQ(made.get("status"), R"({"phase":"Active"})");
  EXPECT_EQ(json::get_string(made.object, {"metadata", "labels", "kubernetes.io/metadata.name"}), "team-a");
  const Outcome second =
      create(builtin("", "Namespace"), "metadata: {name: a}\nspec: {finalizers: [example.com/x]}");
  EXPECT_EQ(second.get("spec/finalizers"), R"(["example.com/x","kubernetes"])");
}

TEST(KindsNamespace, AnOrdinaryUpdateKeepsFinalizersAndLabel) {
  const json::Object before = create(builtin("", "Namespace"), "metadata: {name: team-a}").object;
  const Outcome changed =
      update(builtin("", "Namespace"), before,
             yaml("metadata: {name: team-a, labels: {kubernetes.io/metadata.name: other, a: b}}\n"
                  "spec: {finalizers: []}\nstatus: {phase: Active}"));
  EXPECT_THAT(changed.errors, IsEmpty());
  EXPECT_EQ(changed.get("spec/finalizers"), R"(["kubernetes"])");
  EXPECT_EQ(json::get_string(changed.object, {"metadata", "labels", "kubernetes.io/metadata.name"}),
            "team-a");
  EXPECT_EQ(json::get_string(changed.object, {"metadata", "labels", "a"}), "b");
}

TEST(KindsNamespace, PhaseGoesWithTheDeletionTimestamp) {
  const Resource& kind = builtin("", "Namespace");
  const json::Object active = yaml("metadata: {name: a}\nstatus: {phase: Active}");
  EXPECT_THAT(update(kind, active, yaml("metadata: {name: a}\nstatus: {phase: Terminating}")).errors,
              ElementsAre("status.Phase: Invalid value: \"Terminating\": may only be 'Active' if "
                          "`deletionTimestamp` is empty"));
  EXPECT_THAT(
      update(
          kind, active,
          yaml(
              "metadata: {name: a, deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {phase: Terminating}"))
          .errors,
      IsEmpty());
  EXPECT_THAT(
      create(kind, "metadata: {name: a}\nspec: {finalizers: [mine]}").errors,
      ElementsAre(
          "spec.finalizers: Invalid value: \"mine\": name is neither a standard finalizer name nor is it "
          "fully qualified"));
}

TEST(KindsNode, QuantitiesAndNetworksAreCanonical) {
  const Outcome made =
      create(builtin("", "Node"),
             "spec: {podCIDR: 10.0.0.0/24}\nstatus: {capacity: {cpu: 0.5, memory: 1024Mi, pods: 110}}");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("status/capacity"), R"({"cpu":"500m","memory":"1Gi","pods":"110"})");
  EXPECT_EQ(made.get("spec/podCIDRs"), R"(["10.0.0.0/24"])");
  EXPECT_EQ(create(builtin("", "Node"), "spec: {podCIDRs: [10.0.0.0/24]}").get("spec/podCIDR"),
            R"("10.0.0.0/24")");
}

TEST(KindsNode, TaintsAndNetworksAreChecked) {
  const Resource& kind = builtin("", "Node");
  EXPECT_THAT(
      create(kind, "spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}]}").errors,
      IsEmpty());
  EXPECT_THAT(
      create(kind, "spec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoSchedule, value: b}]}")
          .errors,
      ElementsAre(testing::AllOf(HasSubstr("metadata.taints[1]: Duplicate value"),
                                 HasSubstr("taints must be unique by key and effect pair"))));
  EXPECT_THAT(
      create(kind, "spec: {podCIDRs: [10.0.0.0/33]}").errors,
      ElementsAre("spec.podCIDRs[0]: Invalid value: \"10.0.0.0/33\": must be a valid CIDR value, (e.g. "
                  "10.9.8.0/24 or 2001:db8::/64)"));
  EXPECT_THAT(create(kind, "spec: {podCIDRs: [10.0.0.0/24, 10.1.0.0/24]}").errors,
              ElementsAre(HasSubstr("may specify no more than one CIDR for each IP family")));
  EXPECT_THAT(create(kind, "spec: {podCIDRs: [10.0.0.0/24, 'fd00::/64']}").errors, IsEmpty());
  EXPECT_THAT(create(kind, "status: {capacity: {cpu: -1}}").errors,
              ElementsAre(HasSubstr(
                  "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0")));
}

TEST(KindsNode, WhatIdentifiesItIsSetOnce) {
  const Resource& kind = builtin("", "Node");
  const json::Object before = create(kind, "spec: {podCIDR: 10.0.0.0/24, providerID: 'a://1'}").object;
  EXPECT_THAT(
      update(kind, yaml("spec: {}"), yaml("spec: {podCIDR: 10.0.0.0/24, providerID: 'a://1'}")).errors,
      IsEmpty());
  EXPECT_THAT(
      update(kind, before, yaml("spec: {podCIDR: 10.1.0.0/24, providerID: 'a://2'}")).errors,
      ElementsAre(
          "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from \"\" to valid",
          "spec.providerID: Forbidden: node updates may not change providerID except from \"\" to valid"));
}

TEST(KindsLease, APreferredHolderNeedsAStrategy) {
  const Resource& kind = builtin("coordination.k8s.io", "Lease");
  EXPECT_THAT(create(kind, "spec: {holderIdentity: a, leaseDurationSeconds: 15}").errors, IsEmpty());
  EXPECT_THAT(
      create(kind, "spec: {preferredHolder: b}").errors,
      ElementsAre(
          "spec.preferredHolder: Invalid value: \"b\": may only be specified when `strategy` is defined"));
  EXPECT_THAT(create(kind, "spec: {preferredHolder: b, strategy: OldestEmulationVersion}").errors, IsEmpty());
}

TEST(KindsLease, NumbersAreChecked) {
  const Resource& kind = builtin("coordination.k8s.io", "Lease");
  EXPECT_THAT(create(kind, "spec: {leaseDurationSeconds: 0}").errors,
              testing::Contains("spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"));
  EXPECT_THAT(
      create(kind, "spec: {leaseTransitions: -1}").errors,
      testing::Contains("spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"));
}

TEST(KindsEvent, NamespacesAgree) {
  const Resource& kind = builtin("", "Event");
  const auto errors = [&](std::string_view text) { return create(kind, text).errors; };
  constexpr auto* kMismatch = "does not match event.namespace";
  EXPECT_THAT(errors("metadata: {name: e, namespace: a}\ninvolvedObject: {namespace: a}"), IsEmpty());
  EXPECT_THAT(errors("metadata: {name: e, namespace: default}\ninvolvedObject: {kind: Node}"), IsEmpty());
  EXPECT_THAT(errors("metadata: {name: e, namespace: a}\ninvolvedObject: {namespace: b}"),
              ElementsAre(HasSubstr(kMismatch)));
  EXPECT_THAT(errors("metadata: {name: e, namespace: kube-system}\ninvolvedObject: {kind: Node}"),
              ElementsAre(HasSubstr(kMismatch)));
}

constexpr std::string_view kNewEvent =
    "metadata: {name: e, namespace: a}\ninvolvedObject: {namespace: a, name: x}\neventTime: "
    "'2026-01-01T00:00:00.000000Z'\n"
    "reportingComponent: example.com/c\nreportingInstance: c-1\naction: Do\nreason: Done\ntype: Normal\n";

TEST(KindsEvent, EventsWithATimeSayWhoReportsThem) {
  const Resource& kind = builtin("", "Event");
  EXPECT_THAT(create(kind, kNewEvent).errors, IsEmpty());
  EXPECT_THAT(
      create(kind,
             "metadata: {name: e, namespace: a}\ninvolvedObject: {namespace: a}\neventTime: "
             "'2026-01-01T00:00:00Z'")
          .errors,
      ElementsAre("reportingController: Required value",
                  "reportingController: Invalid value: \"\": name part must be non-empty",
                  HasSubstr("reportingController: Invalid value: \"\": name part must consist of"),
                  "reportingInstance: Required value", "action: Required value", "reason: Required value"));
  EXPECT_THAT(create(kind, std::string(kNewEvent) + "message: " + std::string(1025, 'm')).errors,
              ElementsAre("message: Invalid value: \"\": can have at most 1024 characters"));
}

TEST(KindsEvent, TheNewerApiIsStrict) {
  const Resource& core = builtin("", "Event");
  const Resource& strict = builtin("events.k8s.io", "Event");
  const KindRules& rules = rules_of(strict);
  json::Object event = yaml(kNewEvent);
  EXPECT_THAT(rules.prepare_create(event, Taken().context()), IsEmpty());
  json::Object old = yaml(
      "metadata: {name: e, namespace: a}\ncount: 2\nfirstTimestamp: '2026-01-01T00:00:00Z'\nsource: "
      "{component: x}\ntype: Other");
  std::vector<std::string> errors;
  for (const auto& error : rules.prepare_create(old, Taken().context())) errors.push_back(error.text());
  EXPECT_THAT(errors,
              ElementsAre("eventTime: Required value", "type: Invalid value: \"\": has invalid value: Other",
                          "firstTimestamp: Invalid value: \"\": needs to be unset",
                          "count: Invalid value: \"\": needs to be unset",
                          "source: Invalid value: \"\": needs to be unset"));
  json::Object changed = yaml(std::string(kNewEvent) + "message: new\nseries: {count: 1}");
  errors.clear();
  for (const auto& error : rules.validate_update(event, changed)) errors.push_back(error.text());
  EXPECT_THAT(errors, ElementsAre("series.count: Invalid value: \"\": should be at least 2",
                                  "series.lastObservedTime: Required value",
                                  "message: Invalid value: \"new\": field is immutable"));
  EXPECT_EQ(rules_of(core).validate_update, nullptr);
}

}  // namespace
}  // namespace fairway::apiserver::kinds
