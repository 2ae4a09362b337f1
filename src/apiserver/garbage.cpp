#include "apiserver/garbage.hpp"

#include <algorithm>

#include "json/arena.hpp"
#include "json/member_text.hpp"
#include "kube/core/gvk.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

// The rest of an object may be long, and is not looked through.
std::string_view metadata_text(const store::Entry& entry) {
  return json::member_text(*entry.value, "metadata");
}

// Takes the references to these owners out; false when there were none.
bool remove_owners(Object& object, const std::set<std::string>& uids) {
  Object& metadata = json::ensure_object(object, {"metadata"});
  Value* references = metadata.if_contains("ownerReferences");
  if (references == nullptr || !references->is_array()) return false;
  json::Array kept;
  for (const Value& reference : references->get_array()) {
    const auto uid = reference.is_object() ? json::get_string(reference.get_object(), {"uid"}) : std::nullopt;
    if (!uid || !uids.contains(std::string(*uid))) kept.push_back(reference);
  }
  if (kept.size() == references->get_array().size()) return false;
  if (kept.empty()) {
    json::remove(metadata, "ownerReferences");
  } else {
    *references = std::move(kept);
  }
  return true;
}

bool is_done(const ApiResult<Written>& written) {
  return written || written.error().code == 404;
}

}  // namespace

void GarbageCollector::learn(const store::Entry& entry, std::string_view metadata) {
  forget(entry.key);
  if (!metadata.contains("\"ownerReferences\"")) return;
  json::Arena arena;
  Owners owners = kube::owner_references_of(parse_stored_metadata(entry.value, arena.storage()));
  if (owners.empty()) return;
  for (const auto& owner : owners) dependents_[{entry.key.cluster, owner.uid}].insert(entry.key);
  owners_[entry.key] = std::move(owners);
}

void GarbageCollector::forget(const store::Key& key) {
  const auto known = owners_.find(key);
  if (known == owners_.end()) return;
  for (const auto& owner : known->second) {
    const auto found = dependents_.find({key.cluster, owner.uid});
    if (found == dependents_.end()) continue;
    found->second.erase(key);
    if (found->second.empty()) dependents_.erase(found);
  }
  owners_.erase(known);
}

void GarbageCollector::wake_owners(const store::Key& dependent) {
  const auto known = owners_.find(dependent);
  if (known == owners_.end()) return;
  for (const auto& owner : known->second) {
    if (const auto place = owner_place(dependent, owner)) queue_.add(place->key());
  }
}

void GarbageCollector::wake_dependents(const std::string& cluster, const std::string& uid) {
  const auto found = dependents_.find({cluster, uid});
  if (found == dependents_.end()) return;
  for (const store::Key& key : found->second) queue_.add(key);
}

void GarbageCollector::hear(const store::Change& change) {
  const store::Entry& entry = *change.now;
  if (change.kind == store::ChangeKind::Deleted) {
    wake_owners(entry.key);
    forget(entry.key);
    if (dependents_.empty()) return;
    json::Arena arena;
    const Object gone = parse_stored_metadata(entry.value, arena.storage());
    return wake_dependents(entry.key.cluster, std::string(kube::uid_of(gone)));
  }
  const std::string_view metadata = metadata_text(entry);
  learn(entry, metadata);
  const bool is_dependent = owners_.contains(entry.key);
  const bool is_leaving = metadata.contains("\"deletionTimestamp\"") && metadata.contains("\"finalizers\"");
  if (is_dependent || is_leaving) queue_.add(entry.key);
}

void GarbageCollector::load() {
  for (const auto& count : objects_.store().resources()) {
    for (const auto& entry :
         objects_.store().list({.cluster = count.cluster, .resource = count.resource}).entries) {
      const std::string_view metadata = metadata_text(*entry);
      learn(*entry, metadata);
      if (owners_.contains(entry->key) || metadata.contains("\"deletionTimestamp\"")) queue_.add(entry->key);
    }
  }
}

Task<void> GarbageCollector::run() {
  return work_off(queue_, clock_, [this](const store::Key& key) { return reconcile(key); });
}

const Resource* GarbageCollector::resource_of(const store::Key& key) const {
  const LogicalCluster* cluster = clusters_.find(key.cluster);
  if (cluster == nullptr) return nullptr;
  const auto slash = key.resource.find('/');
  return cluster->catalog->find(key.resource.substr(0, slash), key.resource.substr(slash + 1));
}

std::optional<Place> GarbageCollector::owner_place(const store::Key& dependent,
                                                   const kube::OwnerReference& owner) const {
  const LogicalCluster* cluster = clusters_.find(dependent.cluster);
  const auto version = kube::GroupVersion::parse(owner.api_version);
  if (cluster == nullptr || !version) return std::nullopt;
  const Resource* resource = cluster->catalog->find_kind(version->group, owner.kind);
  if (resource == nullptr) return std::nullopt;
  // An owner with a namespace cannot own what has none: such a reference says nothing that can be relied on.
  if (resource->is_namespaced && dependent.ns.empty()) return std::nullopt;
  return Place{dependent.cluster, resource, resource->is_namespaced ? dependent.ns : "", owner.name};
}

GarbageCollector::OwnerState GarbageCollector::state_of(const store::Key& dependent,
                                                        const kube::OwnerReference& owner) const {
  const auto place = owner_place(dependent, owner);
  if (!place) return OwnerState::Unknown;
  const store::Head head = objects_.store().head(place->key());
  if (!head.entry) return OwnerState::Absent;
  json::Arena arena;
  const Object found = parse_stored_metadata(head.entry->value, arena.storage());
  if (kube::uid_of(found) != owner.uid) return OwnerState::Absent;
  return kube::is_being_deleted(found) && kube::has_finalizer(found, kForeground)
             ? OwnerState::WaitsForDependents
             : OwnerState::Solid;
}

boost::asio::awaitable<bool> GarbageCollector::reconcile(const store::Key& key) {
  const LogicalCluster* cluster = clusters_.find(key.cluster);
  const auto catalog = cluster ? cluster->catalog : nullptr;  // keeps the resource while we wait
  const Resource* resource = resource_of(key);
  if (resource == nullptr) co_return true;
  const Place place{key.cluster, resource, key.ns, key.name};
  const store::EntryPtr entry = objects_.get(place);
  if (!entry) co_return true;
  const Object object = parse_stored_metadata(entry->value);
  if (kube::is_being_deleted(object)) {
    if (kube::has_finalizer(object, kOrphan)) co_return co_await orphan_dependents(place, object);
    if (kube::has_finalizer(object, kForeground)) co_return co_await finish_foreground(place, object);
    co_return true;
  }
  co_return co_await collect(place, object);
}

boost::asio::awaitable<bool> GarbageCollector::collect(const Place& place, const Object& object) {
  bool has_solid = false, has_waiting = false;
  std::set<std::string> to_drop;
  for (const auto& owner : kube::owner_references_of(object)) {
    switch (state_of(place.key(), owner)) {
      case OwnerState::Unknown:
        co_return true;
      case OwnerState::Solid:
        has_solid = true;
        break;
      case OwnerState::WaitsForDependents:
        has_waiting = true;
        [[fallthrough]];
      case OwnerState::Absent:
        to_drop.insert(owner.uid);
        break;
    }
  }
  if (to_drop.empty()) co_return true;
  if (has_solid) co_return co_await drop_owners(place, std::move(to_drop));
  DeleteOptions options;
  options.uid = std::string(kube::uid_of(object));
  const bool has_dependents = dependents_.contains({place.cluster, *options.uid});
  options.propagation = has_waiting && has_dependents ? "Foreground" : "Background";
  if (kube::has_finalizer(object, kOrphan)) options.propagation = "Orphan";
  auto gone = co_await objects_.remove(place, options);
  co_return gone || gone.error().code == 404 || gone.error().code == 409;
}

boost::asio::awaitable<bool> GarbageCollector::drop_owners(const Place& place, std::set<std::string> uids) {
  auto written = co_await objects_.modify(place, [&](Object& object) { return remove_owners(object, uids); });
  co_return is_done(written);
}

boost::asio::awaitable<bool> GarbageCollector::orphan_dependents(const Place& place, const Object& object) {
  const std::string uid(kube::uid_of(object));
  const auto found = dependents_.find({place.cluster, uid});
  const std::set<store::Key> dependents = found == dependents_.end() ? std::set<store::Key>{} : found->second;
  for (const store::Key& key : dependents) {
    const Resource* resource = resource_of(key);
    if (resource == nullptr) continue;
    if (!co_await drop_owners({key.cluster, resource, key.ns, key.name}, {uid})) co_return false;
  }
  auto written =
      co_await objects_.modify(place, [](Object& owner) { return kube::remove_finalizer(owner, kOrphan); });
  co_return is_done(written);
}

boost::asio::awaitable<bool> GarbageCollector::finish_foreground(const Place& place, const Object& object) {
  const auto found = dependents_.find({place.cluster, std::string(kube::uid_of(object))});
  const std::set<store::Key> dependents = found == dependents_.end() ? std::set<store::Key>{} : found->second;
  bool is_blocked = false;
  for (const store::Key& key : dependents) {
    queue_.add(key);
    for (const auto& owner : owners_[key]) {
      is_blocked =
          is_blocked || (owner.uid == kube::uid_of(object) && owner.block_owner_deletion.value_or(false));
    }
  }
  if (is_blocked) co_return true;  // the last of them brings us here again
  auto written = co_await objects_.modify(
      place, [](Object& owner) { return kube::remove_finalizer(owner, kForeground); });
  co_return is_done(written);
}

}  // namespace fairway::apiserver
