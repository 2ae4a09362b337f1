#include "fleet/blocking.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace fairway::fleet {
namespace {

bool has_annotation(const ClusterGroupUpgrade& rollout, std::string_view key, std::string_view value) {
  const auto found = rollout.metadata.annotations.find(std::string(key));
  return found != rollout.metadata.annotations.end() && found->second == value;
}

bool accepts_partial(const ClusterGroupUpgrade& rollout) {
  return has_annotation(rollout, kCompletionMode, "partial");
}

kube::ObjectKey key_of(const ClusterGroupUpgrade& rollout, const RolloutReference& blocker) {
  return {blocker.namespace_.empty() ? rollout.metadata.namespace_ : blocker.namespace_, blocker.name};
}

bool has_ended(const ClusterGroupUpgrade& blocker, bool is_partial_enough) {
  const auto& conditions = blocker.status.conditions;
  return is_partial_enough ? kube::find_condition(conditions, kSucceeded) != nullptr
                           : kube::is_condition_true(conditions, kSucceeded);
}

// Whether the rollout `to` is waited for, over any number of others, by `from`.
bool waits_for(const kube::ObjectKey& from, const kube::ObjectKey& to, const Rollouts& others) {
  std::set<kube::ObjectKey> seen;
  std::vector<kube::ObjectKey> open{from};
  while (!open.empty()) {
    const kube::ObjectKey key = std::move(open.back());
    open.pop_back();
    if (key == to) return true;
    if (!seen.insert(key).second) continue;
    const auto found = others.find(key);
    if (found == others.end()) continue;
    for (const RolloutReference& each : found->second->spec.blocking_crs)
      open.push_back(key_of(*found->second, each));
  }
  return false;
}

}  // namespace

BlockingVerdict judge_blockers(const ClusterGroupUpgrade& rollout, const Rollouts& others) {
  const kube::ObjectKey self{rollout.metadata.namespace_, rollout.metadata.name};
  std::vector<std::string> missing;
  std::vector<std::string> incomplete;
  bool is_cycle = false;
  for (const RolloutReference& each : rollout.spec.blocking_crs) {
    const kube::ObjectKey key = key_of(rollout, each);
    const auto found = others.find(key);
    if (key == self) {
      incomplete.push_back(each.name);
      is_cycle = true;
    } else if (found == others.end()) {
      missing.push_back(each.name);
    } else if (!has_ended(*found->second, accepts_partial(rollout))) {
      incomplete.push_back(each.name);
      is_cycle |= waits_for(key, self, others);
    }
  }
  if (!missing.empty())
    return {"MissingBlockingCR", fmt::format("Missing blocking CRs: [{}]", fmt::join(missing, " "))};
  if (incomplete.empty()) return {};
  return {"IncompleteBlockingCR", fmt::format("Blocking CRs that are not completed: [{}]{}",
                                              fmt::join(incomplete, " "), is_cycle ? " (cycle)" : "")};
}

bool filters_clusters(const ClusterGroupUpgrade& rollout) {
  return !rollout.spec.blocking_crs.empty() && accepts_partial(rollout) &&
         has_annotation(rollout, kClusterFiltering, "true");
}

std::vector<std::string> complete_in_blockers(const ClusterGroupUpgrade& rollout, const Rollouts& others,
                                              const std::vector<std::string>& clusters) {
  const auto is_kept = [&](const std::string& cluster) {
    return std::ranges::all_of(rollout.spec.blocking_crs, [&](const RolloutReference& each) {
      const auto found = others.find(key_of(rollout, each));
      const ClusterRow* row = found == others.end() ? nullptr : find_row(found->second->status, cluster);
      return row != nullptr && row->state == kComplete;
    });
  };
  std::vector<std::string> kept;
  std::ranges::copy_if(clusters, std::back_inserter(kept), is_kept);
  return kept;
}

}  // namespace fairway::fleet
