// Spec 3.6: the condition is there only when something speaks against another minor version.
#include "clusterversion/upgradeable.hpp"

#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

const Release kRunning{.version = "4.6.23", .image = "registry.example/release@sha256:0623"};
const std::string kOverridden =
    "Disabling ownership via cluster version overrides prevents upgrades. Please remove overrides before "
    "continuing.";

UpgradeFacts gated(ConfigData gates, ConfigData acks = {}) {
  return {.admin_gates = std::move(gates), .admin_acks = std::move(acks)};
}

OperatorStanding operator_says(std::string name, std::string_view status, std::string reason,
                               std::string message) {
  return {.name = std::move(name),
          .upgradeable = kube::Condition{.type = "Upgradeable",
                                         .status = std::string(status),
                                         .reason = std::move(reason),
                                         .message = std::move(message)}};
}

// "reason: message", or "absent".
std::string verdict(const UpgradeFacts& facts, const ClusterVersionSpec& spec = {},
                    const Release& current = kRunning) {
  const auto made = upgradeable(spec, current, facts);
  if (!made) return "absent";
  EXPECT_EQ(made->type, "Upgradeable");
  EXPECT_EQ(made->status, kube::kConditionFalse);
  return made->reason + ": " + made->message;
}

TEST(Upgradeable, IsAbsentWhenNothingSpeaksAgainstIt) {
  EXPECT_EQ(verdict(gated({})), "absent");
  EXPECT_EQ(verdict(gated({{"ack-4.6-api-removals", "Read this."}}, {{"ack-4.6-api-removals", "true"}})),
            "absent");
}

TEST(Upgradeable, AGateWaitsForItsAcknowledgement) {
  const ConfigData gates{{"ack-4.6-api-removals", "4.7 removes APIs, see https://docs.example/apis."}};
  const std::string due = "AdminAckRequired: 4.7 removes APIs, see https://docs.example/apis.";
  EXPECT_EQ(verdict(gated(gates)), due);
  for (const std::string& said : {"false", "True", "yes", ""})
    EXPECT_EQ(verdict(gated(gates, {{"ack-4.6-api-removals", said}})), due) << "acknowledged by " << said;
  EXPECT_EQ(verdict(gated(gates, {{"ack-4.6-another", "true"}})), due);
}

TEST(Upgradeable, AGateOfAnotherMinorVersionDoesNotCount) {
  EXPECT_EQ(verdict(gated({{"ack-4.7-x", "Later."}, {"ack-4.5-x", "Earlier."}, {"ack-4.60-x", "Far."}})),
            "absent");
  EXPECT_EQ(verdict(gated({{"ack-4.7-x", "Now."}}), {}, {.version = "4.7.0", .image = ""}),
            "AdminAckRequired: Now.");
}

TEST(Upgradeable, TellsWhichGateHasNoProperName) {
  EXPECT_EQ(verdict(gated({{"4.6-x", "Read this."}})),
            "AdminAckUnknown: admin-gates ConfigMap gate name \"4.6-x\" is invalid.");
  EXPECT_EQ(verdict(gated({{"ack-4.6", "Read this."}})),
            "AdminAckUnknown: admin-gates ConfigMap gate name \"ack-4.6\" is invalid.");
}

TEST(Upgradeable, WithoutTheConfigMapTheGatesAreUnknown) {
  EXPECT_EQ(verdict({}),
            "AdminAckUnknown: Failed to retrieve ConfigMap admin-gates from namespace "
            "openshift-config-managed: configmap \"admin-gates\" not found");
}

TEST(Upgradeable, AnOperatorObjectsOnlyByFalse) {
  UpgradeFacts facts = gated({});
  facts.operators = {{.name = "silent"},
                     operator_says("content", "True", "AsExpected", "All is well"),
                     operator_says("undecided", "Unknown", "NoData", "Cannot tell")};
  EXPECT_EQ(verdict(facts), "absent");
  facts.operators.push_back(operator_says("etcd", "False", "OldMembers", "a member runs an old version"));
  EXPECT_EQ(verdict(facts),
            "OldMembers: Cluster operator etcd should not be upgraded between minor versions: a member runs "
            "an old version");
  facts.operators.back().upgradeable->reason = "";
  EXPECT_EQ(verdict(facts).substr(0, 30), "ClusterOperatorNotUpgradeable:");
}

TEST(Upgradeable, OnlyAnOverrideThatTakesOwnershipAwayCounts) {
  ClusterVersionSpec spec;
  spec.overrides = {{.kind = "Deployment", .group = "apps", .namespace_ = "ns", .name = "x"}};
  EXPECT_EQ(verdict(gated({}), spec), "absent");
  spec.overrides.front().unmanaged = true;
  EXPECT_EQ(verdict(gated({}), spec), "ClusterVersionOverridesSet: " + kOverridden);
}

TEST(Upgradeable, SeveralReasonsAreAListOfTheirMessages) {
  ClusterVersionSpec spec;
  spec.overrides = {
      {.kind = "Deployment", .group = "apps", .namespace_ = "ns", .name = "x", .unmanaged = true}};
  UpgradeFacts facts = gated({{"ack-4.6-a", "First gate."}, {"ack-4.6-b", "Second gate."}});
  facts.operators = {operator_says("etcd", "False", "OldMembers", "a member runs an old version")};
  EXPECT_EQ(verdict(facts, spec),
            "MultipleReasons: Cluster should not be upgraded between minor versions for multiple reasons:"
            "\n* " +
                kOverridden +
                "\n* First gate."
                "\n* Second gate."
                "\n* Cluster operator etcd should not be upgraded between minor versions: a member runs an "
                "old version");
}

}  // namespace
}  // namespace fairway::clusterversion
