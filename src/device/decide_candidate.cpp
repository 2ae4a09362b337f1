#include <algorithm>

#include "device/decide.hpp"
#include "device/decide_parts.hpp"

namespace fairway::device {

const Backup* find_complete(const std::vector<Backup>& backups, std::string_view name) {
  const auto found = std::ranges::find_if(
      backups, [&](const Backup& each) { return each.name == name && each.is_complete(); });
  return found == backups.end() ? nullptr : &*found;
}

// A deployment that was removed and made again from the same commit has the same id and not the same past.
bool is_stale(const Deployments& deployments, const Backup& backup) {
  const Deployment* deployment = deployments.find(backup.name);
  const auto& recorded = backup.record().deployment_dir;
  return deployment != nullptr && recorded && deployment->directory && *recorded != *deployment->directory;
}

const Backup* own_backup(const Observed& seen) {
  if (!seen.deployments.current) return nullptr;
  const Backup* own = find_complete(seen.backups, *seen.deployments.current);
  if (own == nullptr || own->kind != EntryKind::Backup) return nullptr;
  return is_stale(seen.deployments, *own) ? nullptr : own;
}

namespace {

const Backup* candidate_named(const Observed& seen, const std::optional<std::string>& name) {
  if (!name) return nullptr;
  const Backup* found = find_complete(seen.backups, *name);
  return found != nullptr && found->kind == EntryKind::Backup ? found : nullptr;
}

bool fits_binary(const Observed& seen, const Backup& backup) {
  if (!seen.binary) return false;
  const DataVersion* version = value_of(backup.version);
  const DataLevel level = version != nullptr ? version->level() : DataLevel{seen.assumed_version, {}};
  return !std::holds_alternative<RefuseVersion>(judge_version(seen.rules, level, *seen.binary));
}

}  // namespace

const Backup* restore_candidate(const Observed& seen, const RestoreRequest& request,
                                const std::optional<std::string>& predecessor) {
  if (request.deployment_id) return candidate_named(seen, request.deployment_id);
  if (const Backup* own = own_backup(seen)) return own;
  const Backup* before = candidate_named(seen, predecessor);
  if (before != nullptr && !(predecessor == seen.deployments.current && is_stale(seen.deployments, *before)))
    return before;
  const Backup* latest = candidate_named(seen, seen.latest);
  return latest != nullptr && fits_binary(seen, *latest) ? latest : nullptr;
}

}  // namespace fairway::device
