#include "clusterversion/upgrade/recommend.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/semver.hpp"
#include "base/text.hpp"
#include "clusterversion/upgrade/view.hpp"
#include "clusterversion/version_text.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

constexpr std::string_view kRiskIssue = "ConditionalUpdateRisk";
constexpr std::string_view kRetrievalIssue = "CannotRetrieveUpdates";
constexpr std::string_view kNothingKnown = "no known issues relevant to this cluster";
constexpr std::size_t kShownOfAMinor = 2;

struct Candidate {
  Release release;
  SemVer version;
  std::optional<Verdict> issue = {};  // none: recommended
};

using Minor = std::pair<std::uint64_t, std::uint64_t>;
using Minors = std::map<Minor, std::vector<Candidate>, std::greater<>>;  // each newest first

Minor minor_of(const SemVer& version) {
  return {version.major, version.minor};
}

void add_upgradeable(const ClusterVersion& cluster, Candidate& candidate) {
  const kube::Condition* upgradeable = condition(cluster, kUpgradeable);
  if (upgradeable == nullptr || upgradeable->status != kube::kConditionFalse) return;
  const auto current = SemVer::parse(cluster.status.desired.version);
  if (!current || minor_of(candidate.version) <= minor_of(*current)) return;
  const std::string reason = upgradeable->reason.empty() ? "UpgradeableFalse" : upgradeable->reason;
  if (!candidate.issue) {
    candidate.issue = Verdict{std::string(kube::kConditionFalse), reason, upgradeable->message};
    return;
  }
  candidate.issue->status = kube::kConditionFalse;
  candidate.issue->reason = "MultipleReasons";
  candidate.issue->message += "\n\n" + upgradeable->message;
}

Minors candidates(const ClusterVersion& cluster) {
  Minors minors;
  const auto add = [&](const Release& release, std::optional<Verdict> issue) {
    auto version = SemVer::parse(release.version);
    if (!version) return;
    Candidate candidate{release, *std::move(version), std::move(issue)};
    add_upgradeable(cluster, candidate);
    minors[minor_of(candidate.version)].push_back(std::move(candidate));
  };
  for (const Release& release : recommended_updates(cluster)) add(release, std::nullopt);
  for (const ConditionalUpdate* update : other_updates(cluster)) add(update->release, verdict_on(*update));
  for (auto& [minor, updates] : minors) {
    std::ranges::stable_sort(updates, is_newer, &Candidate::release);
  }
  return minors;
}

std::set<std::string> cluster_issues(const ClusterVersion& cluster) {
  std::set<std::string> issues;
  const kube::Condition* failing = condition(cluster, kFailing);
  if (failing == nullptr || failing->status != kube::kConditionFalse) issues.emplace(kFailing);
  const kube::Condition* progressing = condition(cluster, kProgressing);
  if (progressing == nullptr || progressing->status != kube::kConditionFalse) issues.emplace(kProgressing);
  if (is_retrieval_failing(cluster)) issues.emplace(kRetrievalIssue);
  return issues;
}

void print_state(const ClusterVersion& cluster, Outcome& outcome) {
  if (const auto* failing = condition(cluster, kFailing)) {
    if (failing->status != kube::kConditionFalse)
      outcome.print(fmt::format("{}={}:\n\n{}\n\n", kFailing, failing->status, reason_text(*failing)));
  } else {
    outcome.warn("No current Failing info, see `oc describe clusterversion` for more details.");
  }
  const auto* progressing = condition(cluster, kProgressing);
  if (progressing != nullptr && progressing->status != kube::kConditionFalse) {
    outcome.print(
        fmt::format("info: An update is in progress.  You may wish to let this update complete "
                    "before requesting a new update.\n  {}\n\n",
                    indented(progressing->message, 2)));
  }
  if (is_retrieval_failing(cluster)) {
    outcome.warn(fmt::format("Cannot refresh available updates:\n{}\n\n",
                             reason_text(*condition(cluster, kRetrievedUpdates))));
  }
  outcome.note("info: only the ClusterVersion was looked at, not alerts, nodes or operators");
}

void print_source(const ClusterVersion& cluster, Outcome& outcome) {
  if (cluster.spec.channel.empty()) return;
  outcome.print(cluster.spec.upstream.empty()
                    ? "Upstream update service is unset, so the cluster will use an appropriate default.\n"
                    : fmt::format("Upstream update service: {}\n", cluster.spec.upstream));
  const auto& channels = cluster.status.desired.channels;
  outcome.print(channels.empty() ? fmt::format("Channel: {}\n", cluster.spec.channel)
                                 : fmt::format("Channel: {} (available channels: {})\n", cluster.spec.channel,
                                               join(channels, ", ")));
}

// What an issue with the update was accepted by; empty when it was not.
std::string accepted_by(const Verdict& issue, const std::set<std::string>& accept) {
  if (accept.contains(std::string(kRiskIssue))) return std::string(kRiskIssue);
  return accept.contains(issue.reason) ? issue.reason : "";
}

std::string shown_reason(const Verdict& issue, const std::set<std::string>& accept) {
  const std::string by = accepted_by(issue, accept);
  return by.empty() ? issue.reason : fmt::format("accepted {} via {}", issue.reason, by);
}

// A table of those without issues; an entry of its own for each with one.
std::string entries_text(std::span<const Candidate> updates, const std::set<std::string>& accept,
                         bool as_table) {
  std::size_t width = 13;
  for (const Candidate& update : updates) {
    if (as_table || !update.issue) width = std::max(width, update.release.version.size());
  }
  std::string text;
  bool in_table = false;
  for (const Candidate& update : updates) {
    if (update.issue && !as_table) {
      text += fmt::format("\n  Version: {}\n  Image: {}\n{}\n", update.release.version, update.release.image,
                          reason_text(shown_reason(*update.issue, accept), update.issue->message));
      in_table = false;
      continue;
    }
    if (!in_table) text += fmt::format("\n  {:{}} ISSUES\n", "VERSION", width);
    in_table = true;
    text += fmt::format("  {:{}} {}\n", update.release.version, width,
                        update.issue ? shown_reason(*update.issue, accept) : std::string(kNothingKnown));
  }
  return text;
}

void print_overview(const Minors& minors, const RecommendFlags& flags, Outcome& outcome) {
  if (minors.empty()) {
    outcome.print(
        "No updates available. You may still upgrade to a specific release image with --to-image or wait for "
        "new updates to be available.\n");
    return;
  }
  const std::set<std::string> accept(flags.accept.begin(), flags.accept.end());
  for (const auto& [minor, updates] : minors) {
    const std::span all(updates);
    const auto shown =
        flags.show_outdated_releases ? all : all.first(std::min(kShownOfAMinor, updates.size()));
    outcome.print(fmt::format("\nUpdates to {}.{}:\n{}", minor.first, minor.second,
                              entries_text(shown, accept, flags.show_outdated_releases)));
    if (shown.size() == updates.size()) continue;
    outcome.print(fmt::format(
        "\nAnd {} older {}.{} updates you can see with '--show-outdated-releases' or '--version VERSION'.\n",
        updates.size() - shown.size(), minor.first, minor.second));
  }
}

// The update that was asked about, or why there is none.
Result<const Candidate*> find_candidate(const Minors& minors, const SemVer& wanted, const std::string& text) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::NotFound,
                fmt::format("no updates {}available, so cannot display context for the requested release {}",
                            what, text));
  };
  if (minors.empty()) return refuse("");
  const auto is_of_major = [&](const auto& entry) { return entry.first.first == wanted.major; };
  if (std::ranges::none_of(minors, is_of_major)) return refuse(fmt::format("to {} ", wanted.major));
  const auto minor = minors.find(minor_of(wanted));
  if (minor == minors.end()) return refuse(fmt::format("to {}.{} ", wanted.major, wanted.minor));
  for (const Candidate& candidate : minor->second) {
    if (candidate.release.version == text) return &candidate;
  }
  return fail(
      ErrorCode::NotFound,
      fmt::format("no update to {} available, so cannot display context for the requested release", text));
}

std::vector<std::string> open_issues(const ClusterVersion& cluster, const Candidate& candidate,
                                     const std::set<std::string>& accept) {
  std::set<std::string> issues = cluster_issues(cluster);
  if (candidate.issue && accepted_by(*candidate.issue, accept).empty()) issues.emplace(kRiskIssue);
  std::erase_if(issues, [&](const std::string& issue) { return accept.contains(issue); });
  return {issues.begin(), issues.end()};
}

std::string candidate_text(const Candidate& candidate, const std::set<std::string>& accept) {
  const Release& release = candidate.release;
  const std::string where = fmt::format("Image: {}\nRelease URL: {}\n", release.image, release.url);
  if (!candidate.issue) {
    return fmt::format("\nUpdate to {} has {}.\n{}", release.version, kNothingKnown, where);
  }
  return fmt::format("\nUpdate to {} Recommended={}:\n{}Reason: {}\nMessage: {}\n", release.version,
                     candidate.issue->status, where, shown_reason(*candidate.issue, accept),
                     indented(candidate.issue->message, 2));
}

Outcome judge_version(const ClusterVersion& cluster, const RecommendFlags& flags, Outcome outcome) {
  const auto wanted = SemVer::parse(flags.version);  // fault_of() has seen to it that it can be read
  if (!wanted) return refusal(wanted.error().describe());
  const Minors minors = candidates(cluster);
  const auto candidate = find_candidate(minors, *wanted, flags.version);
  if (!candidate) {
    outcome.refuse(candidate.error().message);
    return outcome;
  }
  const std::set<std::string> accept(flags.accept.begin(), flags.accept.end());
  const auto issues = open_issues(cluster, **candidate, accept);
  if (!flags.quiet) outcome.print(candidate_text(**candidate, accept));
  if (issues.empty()) return outcome;
  if (flags.quiet) {
    for (const std::string& issue : issues) outcome.print(issue + "\n");
    outcome.exit_code = kNotRecommended;
    return outcome;
  }
  outcome.refuse(fmt::format("issues that apply to this cluster but which were not included in --accept: {}",
                             join(issues, ",")),
                 kNotRecommended);
  return outcome;
}

}  // namespace

std::optional<std::string> fault_of(const RecommendFlags& flags) {
  if (flags.version.empty()) {
    return flags.quiet ? std::optional<std::string>("--quiet can only be set when --version is set")
                       : std::nullopt;
  }
  if (flags.show_outdated_releases) return "when --version is set, --show-outdated-releases is unnecessary";
  if (const auto version = parse_version(flags.version); !version) {
    return fmt::format("--version must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): {}",
                       version.error().message);
  }
  return std::nullopt;
}

Outcome recommend(const ClusterVersion& cluster, const RecommendFlags& flags) {
  Outcome outcome;
  if (!flags.quiet) {
    print_state(cluster, outcome);
    print_source(cluster, outcome);
  }
  if (!flags.version.empty()) return judge_version(cluster, flags, std::move(outcome));
  print_overview(candidates(cluster), flags, outcome);
  return outcome;
}

json::Object recommend_document(const ClusterVersion& cluster, const RecommendFlags& flags) {
  const std::set<std::string> accept(flags.accept.begin(), flags.accept.end());
  json::Array updates;
  for (const auto& [minor, candidates] : candidates(cluster)) {
    for (const Candidate& candidate : candidates) {
      if (!flags.version.empty() && candidate.release.version != flags.version) continue;
      json::Object entry = json::to_object(candidate.release);
      entry["recommended"] = candidate.issue ? candidate.issue->status : std::string(kube::kConditionTrue);
      entry["reason"] = candidate.issue ? candidate.issue->reason : "";
      entry["message"] = candidate.issue ? candidate.issue->message : "";
      entry["openIssues"] = json::to_json(open_issues(cluster, candidate, accept));
      updates.push_back(std::move(entry));
    }
  }
  return {{"channel", cluster.spec.channel},
          {"upstream", cluster.spec.upstream},
          {"updates", std::move(updates)}};
}

}  // namespace fairway::clusterversion::upgrade
