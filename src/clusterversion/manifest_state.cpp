#include "clusterversion/manifest_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"

namespace fairway::clusterversion {
namespace {

using kube::Condition;
using kube::Conditions;

std::string name_of(const json::Object& live) {
  return fmt::format("{} {}", kube::kind_of(live), quoted(kube::key_of(live).to_string()));
}

Waiting wait_for(const json::Object& live, std::string_view what) {
  return {fmt::format("{}: {}", name_of(live), what)};
}

Failed fail_by(const json::Object& live, const Condition& condition) {
  return {fmt::format("{} has {}={}: {}: {}", name_of(live), condition.type, condition.status,
                      condition.reason, condition.message)};
}

std::string tell(std::string_view type, const Condition* condition) {
  if (!condition) return fmt::format("it has no condition {} yet", type);
  return fmt::format("it has {}={}: {}: {}", type, condition->status, condition->reason, condition->message);
}

std::int64_t number(const json::Object& live, json::Path path, std::int64_t otherwise = 0) {
  return json::get_int(live, path).value_or(otherwise);
}

bool is_observed(const json::Object& live) {
  return number(live, {"status", "observedGeneration"}) >= kube::generation_of(live);
}

constexpr std::string_view kUnobserved = "its controller has not seen the newest spec yet";

// "1 of 3 pods are updated"
std::optional<Waiting> lacks(const json::Object& live, std::int64_t have, std::int64_t want,
                             std::string_view what) {
  if (have >= want) return std::nullopt;
  return wait_for(live, fmt::format("{} of {} pods are {}", have, want, what));
}

ManifestState state_of_condition(const json::Object& live, std::string_view type) {
  const Conditions conditions = kube::conditions_of(live);
  if (kube::is_condition_true(conditions, type)) return Ready{};
  return wait_for(live, tell(type, kube::find_condition(conditions, type)));
}

ManifestState state_of_definition(const json::Object& live) {
  const Conditions conditions = kube::conditions_of(live);
  // A name that another definition has taken does not become free by waiting.
  if (kube::is_condition_false(conditions, "NamesAccepted"))
    return fail_by(live, *kube::find_condition(conditions, "NamesAccepted"));
  return state_of_condition(live, "Established");
}

ManifestState state_of_deployment(const json::Object& live) {
  if (!is_observed(live)) return wait_for(live, kUnobserved);
  const Conditions conditions = kube::conditions_of(live);
  const Condition* progressing = kube::find_condition(conditions, "Progressing");
  if (progressing && progressing->reason == "ProgressDeadlineExceeded") return fail_by(live, *progressing);
  const std::int64_t wanted = number(live, {"spec", "replicas"}, 1);
  const std::int64_t updated = number(live, {"status", "updatedReplicas"});
  if (auto waiting = lacks(live, updated, wanted, "updated")) return *std::move(waiting);
  const std::int64_t old = number(live, {"status", "replicas"}) - updated;
  if (old > 0) return wait_for(live, fmt::format("{} old pods are still there", old));
  if (auto waiting = lacks(live, number(live, {"status", "availableReplicas"}), updated, "available"))
    return *std::move(waiting);
  return Ready{};
}

bool is_updated_by_hand(const json::Object& live) {
  return json::get_string(live, {"spec", "updateStrategy", "type"}) == "OnDelete";
}

ManifestState state_of_stateful_set(const json::Object& live) {
  if (!is_observed(live)) return wait_for(live, kUnobserved);
  if (is_updated_by_hand(live)) return Ready{};
  const std::int64_t replicas = number(live, {"spec", "replicas"}, 1);
  // Pods below the partition keep the old revision on purpose.
  const std::int64_t partition = number(live, {"spec", "updateStrategy", "rollingUpdate", "partition"});
  const std::int64_t wanted = std::max<std::int64_t>(0, replicas - partition);
  const auto current = json::get_string(live, {"status", "currentRevision"});
  const auto update = json::get_string(live, {"status", "updateRevision"});
  if (current != update) {
    if (auto waiting = lacks(live, number(live, {"status", "updatedReplicas"}), wanted, "updated"))
      return *std::move(waiting);
  }
  const std::int64_t available =
      number(live, {"status", "availableReplicas"}, number(live, {"status", "readyReplicas"}));
  if (auto waiting = lacks(live, available, replicas, "available")) return *std::move(waiting);
  return Ready{};
}

ManifestState state_of_daemon_set(const json::Object& live) {
  if (!is_observed(live)) return wait_for(live, kUnobserved);
  if (is_updated_by_hand(live)) return Ready{};
  const std::int64_t wanted = number(live, {"status", "desiredNumberScheduled"});
  if (auto waiting = lacks(live, number(live, {"status", "updatedNumberScheduled"}), wanted, "updated"))
    return *std::move(waiting);
  if (auto waiting = lacks(live, number(live, {"status", "numberAvailable"}), wanted, "available"))
    return *std::move(waiting);
  return Ready{};
}

ManifestState state_of_job(const json::Object& live) {
  const Conditions conditions = kube::conditions_of(live);
  if (kube::is_condition_true(conditions, "Complete")) return Ready{};
  if (kube::is_condition_true(conditions, "Failed"))
    return fail_by(live, *kube::find_condition(conditions, "Failed"));
  return wait_for(live, "it is not complete yet");
}

ManifestState state_of_namespace(const json::Object& live) {
  const std::string_view phase = json::get_string(live, {"status", "phase"}).value_or("");
  if (phase == "Active") return Ready{};
  return wait_for(live, fmt::format("expected the phase \"Active\", found {}", quoted(phase)));
}

// The version that the operator reports under its own name; empty while it reports none.
std::string_view operator_version(const json::Object& live) {
  const json::Array* versions = json::get_array(live, {"status", "versions"});
  if (!versions) return {};
  for (const json::Value& item : *versions) {
    const json::Object* version = item.if_object();
    if (version && json::get_string(*version, {"name"}) == "operator")
      return json::get_string(*version, {"version"}).value_or("");
  }
  return {};
}

ManifestState state_of_operator(const json::Object& live, const ManifestExpectation& expected) {
  const Conditions conditions = kube::conditions_of(live);
  if (kube::is_condition_true(conditions, "Degraded"))
    return fail_by(live, *kube::find_condition(conditions, "Degraded"));
  const std::string_view version = operator_version(live);
  if (!expected.version.empty() && version != expected.version) {
    return wait_for(live, fmt::format("expected it to report the version {}, found {}",
                                      quoted(expected.version), quoted(version)));
  }
  return state_of_condition(live, "Available");
}

bool is(const json::Object& live, std::string_view group, std::string_view kind) {
  const std::string_view api_version = kube::api_version_of(live);
  const std::size_t slash = api_version.find('/');
  const std::string_view found =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  return found == group && kube::kind_of(live) == kind;
}

}  // namespace

ManifestState state_of(const json::Object& live, const ManifestExpectation& expected) {
  if (kube::is_being_deleted(live)) return wait_for(live, "the old one is still being deleted");
  if (is(live, "apiextensions.k8s.io", "CustomResourceDefinition")) return state_of_definition(live);
  if (is(live, "apps", "Deployment")) return state_of_deployment(live);
  if (is(live, "apps", "StatefulSet")) return state_of_stateful_set(live);
  if (is(live, "apps", "DaemonSet")) return state_of_daemon_set(live);
  if (is(live, "batch", "Job")) return state_of_job(live);
  if (is(live, "", "Namespace")) return state_of_namespace(live);
  if (is(live, "apiregistration.k8s.io", "APIService")) return state_of_condition(live, "Available");
  if (is(live, "config.openshift.io", "ClusterOperator")) return state_of_operator(live, expected);
  return Ready{};
}

}  // namespace fairway::clusterversion
