#include "clusterversion/upgrade/request.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/semver.hpp"
#include "base/text.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

constexpr std::string_view kMulti = "Multi";
constexpr std::string_view kForceWarning =
    "--force overrides cluster verification of your supplied release image and waives any update "
    "precondition "
    "failures. Only use this if you are testing unsigned release images or you are working around a known "
    "bug "
    "in the cluster-version operator and you have verified the authenticity of the provided image yourself.";
constexpr std::string_view kTagWarning =
    "Using by-tag pull specs is dangerous, and while we still allow it in combination with --force for "
    "backward compatibility, it would be much safer to pass a by-digest pull spec instead";
constexpr std::string_view kExplicitWarning =
    "The requested upgrade image is not one of the available updates. You have used --allow-explicit-upgrade "
    "for the update to proceed anyway";

struct Target {
  Release release = {};
  const ConditionalUpdate* other = nullptr;  // set when it is not recommended
  bool is_explicit = false;
};

bool is_meant(const RequestFlags& flags, const Release& release) {
  return flags.to.empty() ? is_same_image(flags.to_image, release.image) : flags.to == release.version;
}

std::optional<Target> newest_target(const ClusterVersion& cluster, bool with_others) {
  const auto recommended = recommended_updates(cluster);
  const auto others = other_updates(cluster);
  const bool is_other = with_others && !others.empty() &&
                        (recommended.empty() || is_newer(others.front()->release, recommended.front()));
  if (is_other) return Target{.release = others.front()->release, .other = others.front()};
  if (recommended.empty()) return std::nullopt;
  return Target{.release = recommended.front()};
}

std::optional<Target> find_target(const ClusterVersion& cluster, const RequestFlags& flags) {
  if (flags.to_latest) return newest_target(cluster, flags.allow_not_recommended);
  for (Release& release : recommended_updates(cluster)) {
    if (!is_meant(flags, release)) continue;
    if (!flags.to_image.empty()) release.image = flags.to_image;  // a mirror's name is kept
    return Target{.release = std::move(release)};
  }
  for (const ConditionalUpdate* update : other_updates(cluster)) {
    if (is_meant(flags, update->release)) return Target{.release = update->release, .other = update};
  }
  if (!flags.to_image.empty() && flags.allow_explicit_upgrade) {
    return Target{.release = {.version = "", .image = flags.to_image}, .is_explicit = true};
  }
  return std::nullopt;
}

std::string_view next_step(const RequestFlags& flags) {
  if (flags.to_latest) return "an update";
  return flags.to_image.empty() ? "--to-image to continue with the update"
                                : "--allow-explicit-upgrade to continue with the update";
}

std::string no_target_text(const ClusterVersion& cluster, const RequestFlags& flags) {
  const std::string_view next = next_step(flags);
  if (is_retrieval_failing(cluster)) {
    return fmt::format("cannot refresh available updates:\n{}\n\nspecify {}.",
                       reason_text(*condition(cluster, kRetrievedUpdates)), next);
  }
  std::vector<Release> possible = recommended_updates(cluster);
  if (flags.allow_not_recommended) {
    for (const ConditionalUpdate* update : other_updates(cluster)) possible.push_back(update->release);
    std::ranges::stable_sort(possible, is_newer);
  }
  if (possible.empty()) {
    return fmt::format("no {} updates, specify {} or wait for new updates to be available.",
                       flags.allow_not_recommended ? "recommended or conditional" : "recommended", next);
  }
  return fmt::format("the update is not one of the possible targets: {}. specify {}.",
                     versions_text(possible), next);
}

Outcome without_target(const ClusterVersion& cluster, const RequestFlags& flags) {
  if (flags.to_latest && !flags.allow_not_recommended && !is_retrieval_failing(cluster)) {
    Outcome outcome;
    outcome.print(fmt::format("info: Cluster is already at the latest available version {}\n",
                              cluster.status.desired.version));
    return outcome;
  }
  return refusal(no_target_text(cluster, flags));
}

// False when it is refused.
bool judge_target(const Target& target, const RequestFlags& flags, Outcome& outcome) {
  if (target.is_explicit) outcome.warn(kExplicitWarning);
  if (target.other == nullptr) return true;
  const Verdict verdict = verdict_on(*target.other);
  const std::string name = name_of(target.release);
  if (!flags.allow_not_recommended) {
    outcome.refuse(
        fmt::format("the update {} is not one of the recommended updates, but is available as a conditional "
                    "update. To accept the Recommended={} risk and to proceed with update use "
                    "--allow-not-recommended.\n{}\n",
                    name, verdict.status, reason_text(verdict.reason, verdict.message)),
        kNotRecommended);
    return false;
  }
  outcome.warn(fmt::format(
      "with --allow-not-recommended you have accepted the risks with {} and bypassed Recommended={} {}: {}",
      name, verdict.status, verdict.reason, verdict.message));
  return true;
}

std::optional<std::string> guard_text(const ClusterVersion& cluster) {
  std::vector<std::string> texts;
  const auto add = [&](std::string_view type, std::string_view text) {
    if (is_true(cluster, type))
      texts.push_back(fmt::format("{}\n\n{}", text, reason_text(*condition(cluster, type))));
  };
  add(kInvalid, "the cluster version object is invalid, you must correct the invalid state first:");
  add(kFailing, fmt::format("the cluster is experiencing an error reconciling {}:",
                            quoted(cluster.status.desired.version)));
  add(kProgressing, "the cluster is already upgrading:");
  if (texts.empty()) return std::nullopt;
  return join(texts, "\n\n");
}

// False when the state of the cluster forbids an update.
bool pass_guards(const ClusterVersion& cluster, const RequestFlags& flags, Outcome& outcome) {
  const auto text = guard_text(cluster);
  if (!text) return true;
  if (!flags.allow_upgrade_with_warnings) {
    outcome.refuse(
        fmt::format("{}\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings.", *text));
    return false;
  }
  outcome.warn(fmt::format("--allow-upgrade-with-warnings is bypassing: {}", *text));
  return true;
}

Change update_change(const Release& release, bool force, std::string done) {
  const json::Object desired{{"architecture", release.architecture},
                             {"force", force},
                             {"image", release.image},
                             {"version", release.version}};
  return {.patch = {{"spec", json::Object{{"desiredUpdate", desired}}}},
          .done = std::move(done),
          .cannot = "Unable to upgrade"};
}

Outcome clear_request(const ClusterVersion& cluster) {
  Outcome outcome;
  if (!asks_for_update(cluster)) {
    outcome.print("info: No update in progress\n");
    return outcome;
  }
  const DesiredUpdate& wanted = *cluster.spec.desired_update;
  const Release& desired = cluster.status.desired;
  json::Value cleared = nullptr;
  if (!wanted.accept_risks.empty() || !wanted.unknown.empty()) {  // no part of the request: they stay
    cleared =
        json::Object{{"architecture", nullptr}, {"force", nullptr}, {"image", nullptr}, {"version", nullptr}};
  }
  const std::string wanted_name = wanted.version.empty() ? wanted.image : wanted.version;
  outcome.change =
      Change{.patch = {{"spec", json::Object{{"desiredUpdate", cleared}}}},
             .done = is_reached(wanted, desired)
                         ? fmt::format("Cleared the update field, still at {}\n", name_of(desired))
                         : fmt::format("Cancelled requested upgrade to {}\n", wanted_name),
             .cannot = "Unable to cancel current rollout"};
  return outcome;
}

Outcome request_multi_arch(const ClusterVersion& cluster, const RequestFlags& flags) {
  if (cluster.spec.desired_update && cluster.spec.desired_update->architecture == kMulti) {
    return refusal("info: Update to multi cluster architecture has already been requested");
  }
  Outcome outcome;
  if (flags.force) outcome.warn(kForceWarning);
  if (!pass_guards(cluster, flags, outcome)) return outcome;
  outcome.change = update_change(
      {.version = cluster.status.desired.version, .image = "", .architecture = std::string(kMulti)},
      flags.force, "Requested update to multi cluster architecture\n");
  return outcome;
}

std::optional<std::string> already_there(const Release& desired, const RequestFlags& flags) {
  if (!flags.to.empty() && flags.to == desired.version) {
    return fmt::format("info: Cluster is already at version {}\n", flags.to);
  }
  if (!flags.to_image.empty() && flags.to_image == desired.image) {
    return fmt::format("info: Cluster is already at {}\n", flags.to_image);
  }
  return std::nullopt;
}

// With a tag there is no digest to verify; fault_of() let it through for --force alone.
bool is_by_tag(const RequestFlags& flags) {
  return !flags.to_image.empty() && digest_of(flags.to_image).empty();
}

}  // namespace

Outcome request_update(const ClusterVersion& cluster, const RequestFlags& flags) {
  if (flags.clear) return clear_request(cluster);
  if (flags.to_multi_arch) return request_multi_arch(cluster, flags);
  Outcome outcome;
  if (is_by_tag(flags)) outcome.warn(kTagWarning);
  if (auto text = already_there(cluster.status.desired, flags)) {
    outcome.print(*std::move(text));
    return outcome;
  }
  const auto target = find_target(cluster, flags);
  if (!target) return without_target(cluster, flags);
  if (!judge_target(*target, flags, outcome)) return outcome;
  if (flags.force) outcome.warn(kForceWarning);
  if (!pass_guards(cluster, flags, outcome)) return outcome;
  // Which architecture the payload has is the payload's matter: the field asks for a migration.
  const Release release{.version = target->release.version, .image = target->release.image};
  outcome.change = update_change(release, flags.force,
                                 release.version.empty()
                                     ? fmt::format("Requested update to release image {}\n", release.image)
                                     : fmt::format("Requested update to {}\n", release.version));
  return outcome;
}

Outcome request_rollback(const ClusterVersion& cluster) {
  const Release& current = cluster.status.desired;
  if (const kube::Condition* running = condition(cluster, kProgressing);
      running != nullptr && running->status == kube::kConditionTrue) {
    return refusal(fmt::format("unable to rollback while an update is Progressing=True: {}: {}.",
                               running->reason, running->message));
  }
  const auto previous = std::ranges::find_if(cluster.status.history, [&](const HistoryEntry& entry) {
    return entry.version != current.version || !is_same_image(entry.image, current.image);
  });
  if (previous == cluster.status.history.end()) {
    return refusal(fmt::format(
        "no previous version found in ClusterVersion's status.history besides the current {} ({}).",
        current.version, current.image));
  }
  const auto from = SemVer::parse(current.version);
  const auto to = SemVer::parse(previous->version);
  if (!from || !to) return refusal((from ? to : from).error().describe());
  if (*to >= *from) {
    return refusal(
        fmt::format("previous version {} is not less than the current version {}: use --to to update to it",
                    previous->version, current.version));
  }
  if (from->major != to->major || from->minor != to->minor) {
    return refusal(
        fmt::format("{} is less than the current target {} and matches the cluster's previous version, but "
                    "rollbacks that change major or minor versions are not recommended.",
                    previous->version, current.version));
  }
  Outcome outcome;
  outcome.change =
      update_change({.version = previous->version, .image = previous->image}, false,
                    fmt::format("Requested rollback from {} to {}\n", current.version, previous->version));
  outcome.change->cannot = "Unable to roll back";
  return outcome;
}

}  // namespace fairway::clusterversion::upgrade
