// Garbage collection: objects whose owners are gone go too, as ownerReferences and propagation policies say.
//
// The collector knows the dependents of every owner from the changes it hears; it acts on what the store has
// then. An owner of a kind that the cluster does not serve might exist elsewhere or come back: what cannot be
// told is never deleted.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apiserver/clusters.hpp"
#include "apiserver/key_queue.hpp"
#include "apiserver/objects.hpp"
#include "async/task.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {

class GarbageCollector {
 public:
  GarbageCollector(Objects& objects, Clusters& clusters, TimerClock& clock)
      : objects_(objects), clusters_(clusters), clock_(clock) {}

  void hear(const store::Change& change);
  void load();
  Task<void> run();

 private:
  using Owners = std::vector<kube::OwnerReference>;
  enum class OwnerState { Solid, Absent, WaitsForDependents, Unknown };

  void learn(const store::Entry& entry, std::string_view metadata);
  void forget(const store::Key& key);
  void wake_owners(const store::Key& dependent);
  void wake_dependents(const std::string& cluster, const std::string& uid);

  std::optional<Place> owner_place(const store::Key& dependent, const kube::OwnerReference& owner) const;
  OwnerState state_of(const store::Key& dependent, const kube::OwnerReference& owner) const;
  const Resource* resource_of(const store::Key& key) const;

  boost::asio::awaitable<bool> reconcile(const store::Key& key);
  boost::asio::awaitable<bool> collect(const Place& place, const json::Object& object);
  boost::asio::awaitable<bool> orphan_dependents(const Place& place, const json::Object& object);
  boost::asio::awaitable<bool> finish_foreground(const Place& place, const json::Object& object);
  boost::asio::awaitable<bool> drop_owners(const Place& place, std::set<std::string> uids);

  Objects& objects_;
  Clusters& clusters_;
  TimerClock& clock_;
  KeyQueue queue_;
  std::map<store::Key, Owners> owners_;
  std::map<std::pair<std::string, std::string>, std::set<store::Key>>
      dependents_;  // by cluster and owner's uid
};

}  // namespace fairway::apiserver
