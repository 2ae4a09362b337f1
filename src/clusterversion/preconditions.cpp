#include "clusterversion/preconditions.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/semver.hpp"
#include "clusterversion/version_text.hpp"
#include "promql/go_text.hpp"

namespace fairway::clusterversion {
namespace {

struct Versions {
  SemVer current;
  SemVer target;

  bool share_minor() const { return current.major == target.major && current.minor == target.minor; }
};

std::optional<Objection> no_objection() {
  return std::nullopt;
}

Objection blocking(std::string_view name, std::string_view reason, std::string message) {
  return {std::string(name), std::string(reason), std::move(message), true};
}

Objection warning(std::string_view name, std::string_view reason, std::string message) {
  return {std::string(name), std::string(reason), std::move(message), false};
}

// A current version that cannot be read must not block, because an update may be what repairs it.
std::expected<Versions, Objection> read_versions(std::string_view name, const ClusterVersionStatus& status,
                                                 const Release& target) {
  auto current = parse_version(status.desired.version);
  if (!current)
    return std::unexpected(warning(name, "InvalidCurrentVersion", std::move(current).error().message));
  auto wanted = parse_version(target.version);
  if (!wanted)
    return std::unexpected(blocking(name, "InvalidDesiredVersion", std::move(wanted).error().message));
  return Versions{*std::move(current), *std::move(wanted)};
}

// The newest entry of the history that is another release than the current one.
const HistoryEntry* previous_release(const ClusterVersionStatus& status) {
  const auto found = std::ranges::find_if(status.history, [&](const HistoryEntry& entry) {
    return entry.version != status.desired.version || entry.image != status.desired.image;
  });
  return found == status.history.end() ? nullptr : &*found;
}

std::optional<Objection> check_rollback(const ClusterVersionSpec& /*spec*/,
                                        const ClusterVersionStatus& status, const Release& target) {
  const auto versions = read_versions(kRollback, status, target);
  if (!versions) return versions.error();
  if (versions->target.compare_precedence(versions->current) >= 0) return no_objection();
  const std::string less = fmt::format("{} is less than the current target {}", versions->target.to_string(),
                                       versions->current.to_string());
  const auto object = [&](std::string_view rest) {
    return blocking(kRollback, "LowDesiredVersion", fmt::format("{}{}", less, rest));
  };
  const HistoryEntry* entry = previous_release(status);
  const auto previous = SemVer::parse(entry ? entry->version : "");
  if (!previous) return object(", and the cluster has no previous Semantic Version");
  if (versions->target.compare_precedence(*previous) != 0) {
    return object(
        fmt::format(", and the only supported rollback is to the cluster's previous version {} ({})",
                    previous->to_string(), entry->image));
  }
  if (versions->share_minor()) return no_objection();
  return object(
      " and matches the cluster's previous version, but rollbacks that change major or minor versions are "
      "not recommended");
}

std::optional<Objection> check_giant_hop(const ClusterVersionSpec& /*spec*/,
                                         const ClusterVersionStatus& status, const Release& target) {
  const auto versions = read_versions(kGiantHop, status, target);
  if (!versions) return versions.error();
  const auto& [current, wanted] = *versions;
  if (wanted.major > current.major) {
    // The step from 4 to 5.0 is the one across majors that releases are made for.
    const bool is_to_five = current.major == 4 && wanted.major == 5;
    if (is_to_five && wanted.minor == 0) return no_objection();
    return blocking(
        kGiantHop, "MajorVersionUpdate",
        fmt::format("{} has a larger major version than the current target {} ({} > {}), and only updates "
                    "within the current major version{} are supported.",
                    wanted.to_string(), current.to_string(), wanted.major, current.major,
                    is_to_five ? " or to 5.0" : ""));
  }
  if (wanted.major == current.major && wanted.minor > current.minor + 1) {
    return blocking(
        kGiantHop, "MultipleMinorVersionsUpdate",
        fmt::format("{} is more than one minor version beyond the current target {} ({}.{} > {}.({}+1)), and "
                    "only updates within the current minor version or to the next minor version are "
                    "supported.",
                    wanted.to_string(), current.to_string(), wanted.major, wanted.minor, current.major,
                    current.minor));
  }
  return no_objection();
}

// The version that was completed last, or installed first.
std::string_view completed_version(const ClusterVersionStatus& status) {
  const auto completed = std::ranges::find(status.history, kCompleted, &HistoryEntry::state);
  if (completed != status.history.end()) return completed->version;
  return status.history.empty() ? std::string_view() : status.history.back().version;
}

// A patch update passes although Upgradeable=False; what the administrator should remember is noted.
std::optional<Objection> judge_patch(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                                     const Versions& versions) {
  if (std::ranges::any_of(spec.overrides, &Override::unmanaged)) {
    return warning(
        kUpgradeable, "ClusterVersionOverridesSet",
        "Disabling ownership via cluster version overrides prevents updates between minor or major "
        "versions. Please remove overrides before requesting a minor or major version update.");
  }
  const std::string_view completed_text = completed_version(status);
  const auto completed = SemVer::parse(completed_text);
  if (!completed || !versions.share_minor() || !kube::is_condition_true(status.conditions, "Progressing"))
    return no_objection();
  if (completed->major != versions.current.major || completed->minor >= versions.current.minor)
    return no_objection();
  return warning(kUpgradeable, "MinorVersionClusterUpdateInProgress",
                 fmt::format("Retarget to {} while a minor version update from {} to {} is in progress",
                             versions.target.to_string(), completed_text, versions.current.to_string()));
}

std::optional<Objection> check_upgradeable(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                                           const Release& target) {
  const kube::Condition* upgradeable = kube::find_condition(status.conditions, "Upgradeable");
  if (!upgradeable || upgradeable->status != kube::kConditionFalse) return no_objection();
  const auto versions = read_versions(kUpgradeable, status, target);
  if (!versions) return versions.error();
  // Going down is the business of ClusterVersionRollback.
  if (versions->share_minor() || versions->target.compare_precedence(versions->current) <= 0)
    return judge_patch(spec, status, *versions);
  return blocking(kUpgradeable, upgradeable->reason, upgradeable->message);
}

std::optional<Objection> judge_conditional(const ConditionalUpdate& update, std::string_view path) {
  const kube::Condition* verdict = recommended(update);
  if (!verdict) {
    return warning(
        kRecommendedUpdate, "UnknownConditionType",
        fmt::format("Update {} has a status.conditionalUpdates entry, but no Recommended condition.", path));
  }
  if (verdict->status == kube::kConditionTrue) return no_objection();
  if (verdict->status == kube::kConditionFalse) {
    return warning(kRecommendedUpdate, verdict->reason,
                   fmt::format("Update {} is not recommended:\n\n{}", path, verdict->message));
  }
  return warning(kRecommendedUpdate, verdict->reason,
                 fmt::format("Update {} is {}={}: {}: {}", path, verdict->type, verdict->status,
                             verdict->reason, verdict->message));
}

bool is_available(const ClusterVersionStatus& status, const Release& target) {
  return std::ranges::find(status.available_updates, target.version, &Release::version) !=
         status.available_updates.end();
}

std::optional<Objection> check_recommended(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                                           const Release& target) {
  if (is_available(status, target)) return no_objection();
  const std::string from_to = fmt::format("from {} to {}", status.desired.version, target.version);
  if (const ConditionalUpdate* update = find_conditional(status, target))
    return judge_conditional(*update, from_to);
  const std::string unknown = fmt::format("the recommended status of updating {} is unknown.", from_to);
  if (spec.channel.empty())
    return warning(kRecommendedUpdate, "NoChannel", "Configured channel is unset, so " + unknown);
  const kube::Condition* retrieved = kube::find_condition(status.conditions, "RetrievedUpdates");
  if (!retrieved) return warning(kRecommendedUpdate, "UnknownUpdate", "No RetrievedUpdates, so " + unknown);
  const std::string consequence =
      retrieved->status == kube::kConditionTrue
          ? fmt::format("the update {} is probably neither recommended nor supported.", from_to)
          : unknown;
  return warning(
      kRecommendedUpdate, "UnknownUpdate",
      fmt::format("RetrievedUpdates={} ({}), so {}", retrieved->status, retrieved->reason, consequence));
}

}  // namespace

const ConditionalUpdate* find_conditional(const ClusterVersionStatus& status, const Release& target) {
  const auto found = std::ranges::find_if(status.conditional_updates, [&](const ConditionalUpdate& update) {
    return update.release.version == target.version;
  });
  return found == status.conditional_updates.end() ? nullptr : &*found;
}

Objections check_preconditions(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                               const Release& target) {
  Objections objections;
  for (const auto check : {check_rollback, check_giant_hop, check_upgradeable, check_recommended}) {
    if (auto objection = check(spec, status, target)) objections.push_back(*std::move(objection));
  }
  return objections;
}

bool is_blocked(std::span<const Objection> objections, bool force) {
  return !force && std::ranges::any_of(objections, &Objection::is_blocking);
}

std::string describe(std::span<const Objection> objections, bool force) {
  if (objections.empty()) return {};
  std::string text;
  if (force && std::ranges::any_of(objections, &Objection::is_blocking))
    text = "Forced through blocking failures: ";
  if (objections.size() > 1) text += "Multiple precondition checks failed:";
  for (const Objection& objection : objections) {
    if (objections.size() > 1) text += "\n* ";
    text += fmt::format("Precondition {} failed because of {}: {}", promql::go_quoted(objection.name),
                        promql::go_quoted(objection.reason), objection.message);
  }
  return text;
}

}  // namespace fairway::clusterversion
