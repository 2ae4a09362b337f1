#include "clusterversion/upgrade/list.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

void warn_of_absence(Outcome& outcome, std::string_view type) {
  outcome.warn(fmt::format("No current {} info, see `oc describe clusterversion` for more details.", type));
}

void print_health(const ClusterVersion& cluster, Outcome& outcome) {
  const kube::Condition* failing = condition(cluster, kFailing);
  if (failing == nullptr) {
    warn_of_absence(outcome, kFailing);
  } else if (failing->status != kube::kConditionFalse) {
    outcome.print(fmt::format("{}={}:\n\n{}\n\n", kFailing, failing->status, reason_text(*failing)));
  }
  const kube::Condition* progressing = condition(cluster, kProgressing);
  if (progressing == nullptr || progressing->message.empty()) {
    warn_of_absence(outcome, kProgressing);
  } else {
    const bool is_running = progressing->status == kube::kConditionTrue;
    outcome.print(
        fmt::format("{}{}\n", is_running ? "info: An upgrade is in progress. " : "", progressing->message));
  }
  outcome.print("\n");
  const kube::Condition* upgradeable = condition(cluster, kUpgradeable);
  if (upgradeable != nullptr && upgradeable->status == kube::kConditionFalse) {
    outcome.print(fmt::format("{}=False\n\n{}\n\n", kUpgradeable, reason_text(*upgradeable)));
  }
  const kube::Condition* accepted = condition(cluster, kReleaseAccepted);
  if (accepted != nullptr && accepted->status != kube::kConditionTrue) {
    outcome.print(fmt::format("{}={}\n\n{}\n\n", kReleaseAccepted, accepted->status, reason_text(*accepted)));
  }
}

void print_source(const ClusterVersion& cluster, Outcome& outcome) {
  if (cluster.spec.channel.empty()) return;
  outcome.print(cluster.spec.upstream.empty()
                    ? "Upstream is unset, so the cluster will use an appropriate default.\n"
                    : fmt::format("Upstream: {}\n", cluster.spec.upstream));
  const auto& channels = cluster.status.desired.channels;
  outcome.print(channels.empty() ? fmt::format("Channel: {}\n", cluster.spec.channel)
                                 : fmt::format("Channel: {} (available channels: {})\n", cluster.spec.channel,
                                               join(channels, ", ")));
}

void print_recommended(const ClusterVersion& cluster, const ListOptions& options, Outcome& outcome) {
  const auto releases = recommended_updates(cluster);
  const kube::Condition* retrieved = condition(cluster, kRetrievedUpdates);
  const bool is_stale = retrieved != nullptr && retrieved->status == kube::kConditionFalse;
  if (releases.empty()) {
    if (is_stale) {
      outcome.warn(fmt::format("Cannot display available updates:\n{}\n\n", reason_text(*retrieved)));
    } else {
      outcome.print(
          "No updates available. You may still upgrade to a specific release image with --to-image or wait "
          "for new updates to be available.\n");
    }
    return;
  }
  // Without a channel there are no lines above that the heading would have to stand apart from.
  std::string text = cluster.spec.channel.empty() ? "" : "\n";
  text +=
      fmt::format("Recommended updates:\n\n  VERSION\tIMAGE{}\n", options.is_wide ? "\tCHANNELS\tURL" : "");
  for (const Release& release : releases) {
    text += fmt::format("  {}\t{}", release.version, release.image);
    if (options.is_wide) text += fmt::format("\t{}\t{}", join(release.channels, ","), release.url);
    text += '\n';
  }
  outcome.print(std::move(text));
  if (is_stale) {
    outcome.warn(fmt::format("Cannot refresh available updates:\n{}\n\n", reason_text(*retrieved)));
  }
}

std::string risk_names(const ConditionalUpdate& update) {
  std::vector<std::string> names;
  names.reserve(update.risks.size());
  for (const Risk& risk : update.risks) names.push_back(risk.name);
  return join(names, ", ");
}

std::string entry_text(const ConditionalUpdate& update, bool is_wide) {
  const Verdict verdict = verdict_on(update);
  std::string text =
      fmt::format("\n  Version: {}\n  Image: {}\n", update.release.version, update.release.image);
  if (is_wide) text += fmt::format("  Risks: {}\n", risk_names(update));
  text += fmt::format("  Recommended: {}\n  Reason: {}\n", verdict.status, verdict.reason);
  const std::string_view message = trim(verdict.message);
  const bool has_lines = message.find('\n') != std::string_view::npos;
  return text + (has_lines ? fmt::format("  Message:\n    {}\n", indented(message, 4))
                           : fmt::format("  Message: {}\n", message));
}

void print_others(const ClusterVersion& cluster, const ListOptions& options, Outcome& outcome) {
  const auto updates = other_updates(cluster);
  if (!options.include_not_recommended) {
    if (!updates.empty()) {
      outcome.print(
          "\nAdditional updates which are not recommended based on your cluster configuration are "
          "available, to view those re-run the command with --include-not-recommended.\n");
    }
    return;
  }
  if (updates.empty()) {
    outcome.print(
        "\nNo updates which are not recommended based on your cluster configuration are available.\n");
    return;
  }
  outcome.print("\nSupported but not recommended updates:\n");
  for (const ConditionalUpdate* update : updates) outcome.print(entry_text(*update, options.is_wide));
}

json::Object other_document(const ConditionalUpdate& update) {
  json::Object entry = json::to_object(update.release);
  const Verdict verdict = verdict_on(update);
  entry["recommended"] = verdict.status;
  entry["reason"] = verdict.reason;
  entry["message"] = verdict.message;
  entry["risks"] = json::to_json(update.risks);
  return entry;
}

}  // namespace

Outcome list_updates(const ClusterVersion& cluster, const ListOptions& options) {
  Outcome outcome;
  print_health(cluster, outcome);
  print_source(cluster, outcome);
  print_recommended(cluster, options, outcome);
  print_others(cluster, options, outcome);
  return outcome;
}

json::Object list_document(const ClusterVersion& cluster) {
  json::Object document{{"current", json::to_json(cluster.status.desired)},
                        {"channel", cluster.spec.channel},
                        {"upstream", cluster.spec.upstream},
                        {"isUpdating", is_updating(cluster)},
                        {"conditions", json::to_json(cluster.status.conditions)}};
  json::Array recommended;
  for (const Release& release : recommended_updates(cluster)) recommended.push_back(json::to_json(release));
  json::Array others;
  for (const ConditionalUpdate* update : other_updates(cluster)) others.push_back(other_document(*update));
  document["recommended"] = std::move(recommended);
  document["notRecommended"] = std::move(others);
  return document;
}

}  // namespace fairway::clusterversion::upgrade
