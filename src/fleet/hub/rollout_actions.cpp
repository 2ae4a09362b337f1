// What is done for rollouts: one request for each action, guarded by what was observed.
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/hub/kinds.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/rollout_controller.hpp"
#include "json/patch.hpp"
#include "kube/client/api.hpp"

namespace fairway::fleet {
namespace {

const kube::ResourceType& owned_type(std::string_view kind) {
  if (kind == kPlacementRules.kind.kind) return kPlacementRules;
  if (kind == kWorks.kind.kind) return kWorks;
  return kind == kPlacements.kind.kind ? kPlacements : kPlacementBindings;
}

json::Object finalizers_patch(std::vector<std::string> finalizers) {
  json::Object metadata;
  metadata["finalizers"] = json::Array(finalizers.begin(), finalizers.end());
  json::Object patch;
  patch["metadata"] = std::move(metadata);
  return patch;
}

}  // namespace

const kube::ObjectCache* RolloutController::owned_cache(std::string_view kind) const {
  if (kind == kPlacementRules.kind.kind) return rules_;
  if (kind == kWorks.kind.kind) return works_;
  return kind == kPlacements.kind.kind ? placements_ : &bindings_;
}

// What was written in the version that was seen is shown by whatever the cache has instead of that version.
kube::OwnWrites::IsShown RolloutController::shows(const Action& action) const {
  return std::visit(
      [this](const auto& one) -> kube::OwnWrites::IsShown {
        if constexpr (requires { one.rollout->metadata; }) {
          return [this, seen = one.rollout] {
            const auto found = rollouts_.get({seen->metadata.namespace_, seen->metadata.name});
            return !found || found->metadata.resource_version != seen->metadata.resource_version;
          };
        } else if constexpr (requires { one.resource_version; }) {
          return [cache = owned_cache(one.kind), key = one.key, version = one.resource_version] {
            const auto found = cache->get(key);
            return !found || kube::resource_version_of(*found) != version;
          };
        } else if constexpr (requires { one.uid; }) {
          return [cache = owned_cache(one.kind), key = one.key, uid = one.uid] {
            const auto found = cache->get(key);
            return !found || kube::is_being_deleted(*found) || kube::uid_of(*found) != uid;
          };
        } else if constexpr (requires { one.object; }) {
          return [cache = owned_cache(kube::kind_of(one.object)), key = kube::key_of(one.object)] {
            return cache->get(key) != nullptr;
          };
        } else {
          return {};  // nothing that the next look asks for
        }
      },
      action);
}

Task<void> RolloutController::act(kube::ObjectKey key, Action action) {
  kube::OwnWrites::IsShown is_shown = shows(action);
  FAIRWAY_CO_CHECKED(co_await std::visit([this](auto& one) { return carry_out(std::move(one)); }, action));
  if (is_shown) writes_.add(key, std::move(is_shown));
  co_return Result<void>{};
}

void RolloutController::tell(const ClusterGroupUpgrade& about, std::vector<RolloutEvent> events) {
  for (RolloutEvent& each : events) events_.tell(about, std::move(each));
}

Task<void> RolloutController::patch_rollout(const ClusterGroupUpgrade& rollout, std::string subresource,
                                            json::Object patch) {
  kube::Resource place =
      kRollouts.in(rollout.metadata.namespace_, rollout.metadata.name, std::move(subresource));
  FAIRWAY_CO_CHECKED(co_await patch_seen(runtime_.client(), std::move(place),
                                         rollout.metadata.resource_version, std::move(patch)));
  co_return Result<void>{};
}

// Only what differs is sent: a rollout over thousands of clusters has a large status.
Task<void> RolloutController::carry_out(WriteStatus action) {
  json::Value change =
      json::make_merge_patch(json::to_object(action.rollout->status), json::to_object(action.status));
  json::ensure_object(change.get_object(), {"status"});
  json::Object patch;
  patch["status"] = std::move(change);
  FAIRWAY_CO_CHECKED(co_await patch_rollout(*action.rollout, "status", std::move(patch)));
  tell(*action.rollout, std::move(action.events));
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(AddFinalizer action) {
  std::vector<std::string> finalizers = action.rollout->metadata.finalizers;
  finalizers.emplace_back(kFinalizer);
  json::Object patch = finalizers_patch(std::move(finalizers));
  if (action.sets_default_timeout)
    json::ensure_object(patch, {"spec", "remediationStrategy"})["timeout"] = kDefaultTimeout;
  FAIRWAY_CO_CHECKED(co_await patch_rollout(*action.rollout, "", std::move(patch)));
  tell(*action.rollout, std::move(action.events));
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(RemoveFinalizer action) {
  std::vector<std::string> finalizers = action.rollout->metadata.finalizers;
  std::erase(finalizers, kFinalizer);
  co_return co_await patch_rollout(*action.rollout, "", finalizers_patch(std::move(finalizers)));
}

Task<void> RolloutController::carry_out(EnsurePlacement action) {
  const kube::ResourceType& type = owned_type(kube::kind_of(action.object));
  FAIRWAY_CO_CHECKED(co_await create_object(runtime_.client(), type, std::move(action.object)));
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(EnsureBinding action) {
  FAIRWAY_CO_CHECKED(co_await create_object(runtime_.client(), kPlacementBindings, std::move(action.object)));
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(CreateWork action) {
  const auto made = co_await create_object(runtime_.client(), kWorks, std::move(action.object));
  if (!made && made.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(made.error());
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(RepairOwned action) {
  FAIRWAY_CO_CHECKED(co_await patch_seen(runtime_.client(), owned_type(action.kind).at(action.key),
                                         std::move(action.resource_version), std::move(action.patch)));
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(SetPlacementClusters action) {
  FAIRWAY_CO_CHECKED(co_await patch_seen(runtime_.client(), owned_type(action.kind).at(action.key),
                                         std::move(action.resource_version), std::move(action.patch)));
  co_return Result<void>{};
}

Task<void> RolloutController::carry_out(DeleteOwned action) {
  co_return co_await remove_seen(runtime_.client(), owned_type(action.kind).at(action.key), action.uid);
}

Task<void> RolloutController::carry_out(CreateRollback action) {
  const kube::ObjectMeta& wanted = action.rollout.metadata;
  const kube::Api<ClusterGroupUpgrade> api(runtime_.client(), wanted.namespace_);
  const auto made = co_await api.create(action.rollout);
  if (made) co_return Result<void>{};
  if (made.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(made.error());
  FAIRWAY_CO_TRY(const ClusterGroupUpgrade found, co_await api.get(wanted.name));
  // From a try whose answer was lost.
  if (found.metadata.owner_references == wanted.owner_references) co_return Result<void>{};
  co_return fail(ErrorCode::Conflict,
                 fmt::format("the rollback {} cannot be made: a rollout of that name is somebody else's",
                             quoted(wanted.name)));
}

Task<void> RolloutController::carry_out(PatchManagedCluster action) {
  const auto patched = co_await runtime_.client().patch(kManagedClusters.in("", action.name),
                                                        kube::PatchKind::Merge, std::move(action.patch));
  if (!patched && patched.error().code != ErrorCode::NotFound) co_return std::unexpected(patched.error());
  co_return Result<void>{};
}

}  // namespace fairway::fleet
