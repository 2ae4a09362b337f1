// The placements of a rollout that is under way: who is enforced.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

#include "fleet/rolling.hpp"

namespace fairway::fleet {
namespace {

void set_clusters(Draft& draft, const json::Object& placement, std::vector<std::string> clusters,
                  std::int64_t fence) {
  json::Object patch = clusters_patch(placement, clusters, fence);
  draft.act(SetPlacementClusters{std::string(kube::kind_of(placement)), kube::key_of(placement),
                                 std::string(kube::resource_version_of(placement)), std::move(clusters),
                                 fence, std::move(patch)});
}

// On its way, in time.
bool is_active(Rolling& rolling, const std::string& cluster) {
  const auto found = rolling.progress().find(cluster);
  if (found == rolling.progress().end() || found->second.state != ProgressState::InProgress) return false;
  const ClusterRow* row = find_row(rolling.draft.status, cluster);
  return row == nullptr || row->state != kTimedOut;
}

std::vector<std::string> kept(const std::vector<std::string>& present,
                              const std::function<bool(const std::string&)>& stays) {
  std::vector<std::string> stay;
  std::ranges::copy_if(present, std::back_inserter(stay), stays);
  return stay;
}

// Who has to be in the placement of policy `index`, in their order.
std::vector<std::string> due_clusters(Rolling& rolling, Named whom, std::int64_t index) {
  std::vector<std::string> due;
  if (whom == Named::Nobody) return due;
  for (const std::string& cluster : rolling.batch()) {
    const bool is_due = whom == Named::All && is_active(rolling, cluster) &&
                        rolling.path.index(rolling.progress()[cluster]) >= index;
    if (is_due) due.push_back(cluster);
  }
  for (const std::string& cluster : late_clusters(rolling)) {
    if (rolling.path.index_of_late(*find_row(rolling.draft.status, cluster)) >= index) due.push_back(cluster);
  }
  return due;
}

// Those who are through stay to the end of the batch, unless others wait for their place.
bool stays_named(Rolling& rolling, Named whom, const std::string& cluster,
                 const std::set<std::string_view>& late) {
  if (whom == Named::Nobody) return false;
  if (late.contains(cluster)) return true;
  if (whom == Named::LateOnly) return false;
  if (is_active(rolling, cluster)) return true;
  const ClusterRow* row = find_row(rolling.draft.status, cluster);
  return !is_metered(rolling.draft) && (row == nullptr || row->state != kSkipped);
}

void fill_placement(Rolling& rolling, Named whom, const json::Object& placement, std::int64_t index,
                    const std::set<std::string_view>& late) {
  const std::vector<std::string> present = clusters_in(placement);
  std::vector<std::string> named =
      kept(present, [&](const std::string& name) { return stays_named(rolling, whom, name, late); });
  const std::set<std::string_view> have(present.begin(), present.end());
  for (std::string& cluster : due_clusters(rolling, whom, index)) {
    if (!have.contains(cluster)) named.push_back(std::move(cluster));
  }
  if (named == present) return;
  const std::int64_t fence = fence_of(rolling.draft.status);
  const bool is_ahead = batch_of(placement) > fence;
  // To take clusters out, and to keep those who are late in, is right from any look.
  if (!is_ahead || whom != Named::All) {
    set_clusters(rolling.draft, placement, std::move(named), std::max(batch_of(placement), fence));
  } else {
    rolling.draft.note(fmt::format("{} has the number of a later batch, {}: nobody new is named in it",
                                   kube::key_of(placement).to_string(), batch_of(placement)));
  }
}

// The step that a cluster has to have a work of; nothing: none.
std::optional<std::int64_t> due_step(Rolling& rolling, Named whom, const std::string& cluster) {
  if (whom == Named::Nobody) return std::nullopt;
  const ClusterRow* row = find_row(rolling.draft.status, cluster);
  if (row != nullptr && row->state == kTimedOut) return rolling.path.index_of_late(*row);
  if (whom == Named::All && is_active(rolling, cluster))
    return rolling.path.index(rolling.progress()[cluster]);
  return std::nullopt;
}

bool has_work(const Rolling& rolling, const std::string& cluster, const std::string& name) {
  return std::ranges::any_of(rolling.draft.seen.works, [&](const auto& each) {
    return kube::namespace_of(*each) == cluster && kube::name_of(*each) == name;
  });
}

// Whoever is through keeps the last work to the end of the batch, unless others wait for the place.
bool keeps_work(Rolling& rolling, Named whom, const std::string& cluster) {
  const auto at = rolling.progress().find(cluster);
  return whom == Named::All && !is_metered(rolling.draft) && at != rolling.progress().end() &&
         at->second.state == ProgressState::Completed;
}

void give_works(Rolling& rolling, Named whom) {
  Draft& draft = rolling.draft;
  const auto step_name = [&](std::int64_t step) {
    return work_name(draft.rollout, rolling.path.name(static_cast<std::size_t>(step)));
  };
  for (const auto& each : draft.seen.works) {
    const std::string cluster(kube::namespace_of(*each));
    const auto step = due_step(rolling, whom, cluster);
    const bool stays = step ? step_name(*step) == kube::name_of(*each) : keeps_work(rolling, whom, cluster);
    if (!stays) delete_owned(draft, *each);
  }
  std::vector<std::string> clusters = rolling.batch();
  for (std::string& each : late_clusters(rolling)) {
    if (std::ranges::find(clusters, each) == clusters.end()) clusters.push_back(std::move(each));
  }
  for (const std::string& cluster : clusters) {
    const auto step = due_step(rolling, whom, cluster);
    if (!step || has_work(rolling, cluster, step_name(*step))) continue;
    const auto found = draft.seen.templates.find(rolling.path.name(static_cast<std::size_t>(*step)));
    if (found != draft.seen.templates.end())
      draft.act(CreateWork{desired_work(draft.rollout, *found->second, cluster)});
  }
}

}  // namespace

std::int64_t fence_of(const ClusterGroupUpgradeStatus& status) {
  return status.status.current_batch + status.rollout.refills;
}

void enforce(Rolling& rolling, Named whom) {
  if (rolling.path.is_of_works()) return give_works(rolling, whom);
  Draft& draft = rolling.draft;
  const auto& policies = draft.status.managed_policies_for_upgrade;
  const std::vector<std::string> late = late_clusters(rolling);
  const std::set<std::string_view> are_late(late.begin(), late.end());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const kube::ObjectKey key{policies[i].namespace_, placement_name(draft.rollout, policies[i]).name};
    for (const auto& each : draft.seen.placements) {
      if (kube::key_of(*each) == key && !kube::is_being_deleted(*each))
        fill_placement(rolling, whom, *each, static_cast<std::int64_t>(i), are_late);
    }
  }
}

void raise_fence(Rolling& rolling, bool keeps_active) {
  const std::int64_t fence = fence_of(rolling.draft.status) + 1;
  const std::vector<std::string> late = late_clusters(rolling);
  const std::set<std::string_view> are_late(late.begin(), late.end());
  for (const auto& each : rolling.draft.seen.placements) {
    const std::vector<std::string> present = clusters_in(*each);
    std::vector<std::string> stay = kept(present, [&](const std::string& name) {
      return are_late.contains(name) || (keeps_active && is_active(rolling, name));
    });
    if (batch_of(*each) < fence || (batch_of(*each) == fence && stay != present))
      set_clusters(rolling.draft, *each, std::move(stay), fence);
  }
}

bool has_other_works(Rolling& rolling) {
  return std::ranges::any_of(rolling.draft.seen.works, [&](const auto& each) {
    return !due_step(rolling, Named::All, std::string(kube::namespace_of(*each)));
  });
}

}  // namespace fairway::fleet
