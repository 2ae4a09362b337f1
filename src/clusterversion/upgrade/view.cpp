#include "clusterversion/upgrade/view.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::clusterversion::upgrade {

const kube::Condition* condition(const ClusterVersion& cluster, std::string_view type) {
  return kube::find_condition(cluster.status.conditions, type);
}

bool is_true(const ClusterVersion& cluster, std::string_view type) {
  return kube::is_condition_true(cluster.status.conditions, type);
}

bool is_retrieval_failing(const ClusterVersion& cluster) {
  const kube::Condition* retrieved = condition(cluster, kRetrievedUpdates);
  return retrieved != nullptr && retrieved->status != kube::kConditionTrue;
}

std::vector<Release> recommended_updates(const ClusterVersion& cluster) {
  std::vector<Release> releases = cluster.status.available_updates;
  std::ranges::stable_sort(releases, is_newer);
  return releases;
}

std::vector<const ConditionalUpdate*> other_updates(const ClusterVersion& cluster) {
  std::vector<const ConditionalUpdate*> updates;
  for (const ConditionalUpdate& update : cluster.status.conditional_updates) {
    if (!is_recommended(update)) updates.push_back(&update);
  }
  std::ranges::stable_sort(updates, [](const ConditionalUpdate* left, const ConditionalUpdate* right) {
    return is_newer(left->release, right->release);
  });
  return updates;
}

Verdict verdict_on(const ConditionalUpdate& update) {
  const kube::Condition* verdict = recommended(update);
  if (verdict == nullptr) {
    return {.status = std::string(kube::kConditionUnknown),
            .reason = "NotEvaluated",
            .message = "The risks of this update have not been evaluated yet."};
  }
  return {verdict->status, verdict->reason, verdict->message};
}

std::string name_of(const Release& release) {
  return release.version.empty() ? release.image : release.version;
}

std::string versions_text(const std::vector<Release>& releases) {
  std::vector<std::string> names;
  names.reserve(releases.size());
  for (const Release& release : releases) names.push_back(name_of(release));
  return join(names, ", ");
}

std::string indented(std::string_view text, std::size_t blanks) {
  std::string result;
  bool is_first = true;
  for (const std::string_view line : split(text, '\n')) {
    if (!is_first) result += line.empty() ? "\n" : fmt::format("\n{:{}}", "", blanks);
    result += line;
    is_first = false;
  }
  return result;
}

std::string reason_text(std::string_view reason, std::string_view message) {
  return fmt::format("  Reason: {}\n  Message: {}", reason, indented(message, 2));
}

std::string reason_text(const kube::Condition& condition) {
  return reason_text(condition.reason, condition.message);
}

bool asks_for_update(const ClusterVersion& cluster) {
  const auto& wanted = cluster.spec.desired_update;
  return wanted && (!wanted->version.empty() || !wanted->image.empty() || !wanted->architecture.empty());
}

bool is_reached(const DesiredUpdate& wanted, const Release& desired) {
  if (!wanted.image.empty()) return is_same_image(wanted.image, desired.image);
  return wanted.version == desired.version;
}

bool is_updating(const ClusterVersion& cluster) {
  if (is_true(cluster, kProgressing)) return true;
  const auto& history = cluster.status.history;
  if (!history.empty() && history.front().state == kPartial) return true;
  return asks_for_update(cluster) && !is_reached(*cluster.spec.desired_update, cluster.status.desired);
}

}  // namespace fairway::clusterversion::upgrade
