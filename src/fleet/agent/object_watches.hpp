// ObjectWatches: the objects that policies are about, of whatever kinds these are: one watch a kind, for as
// long as somebody is interested in it.
//
// An interest says which objects of a kind make a key due. A watch starts with the first interest in its kind
// and ends with the last, so that a policy that is at rest costs nothing but its watch. What is read comes
// from the cache of the watch, which has synced. Belongs to one event loop; stop() is awaited before it goes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "kube/client/client.hpp"
#include "kube/core/resource_type.hpp"
#include "kube/runtime/cache.hpp"
#include "kube/runtime/watcher.hpp"

namespace fairway::fleet::agent {

// Empty means any.
struct Interest {
  kube::ResourceType type;
  std::string namespace_ = {};
  std::string name = {};
  auto operator<=>(const Interest&) const = default;
};

class ObjectWatches {
 public:
  using Wake = std::function<void(const kube::ObjectKey& key)>;

  // The client outlives it. `wake` is called for a key when an object that it is interested in changes.
  ObjectWatches(kube::Client& client, boost::asio::any_io_executor executor, Wake wake);
  ~ObjectWatches();
  ObjectWatches(const ObjectWatches&) = delete;
  ObjectWatches& operator=(const ObjectWatches&) = delete;

  // Adds to the interests of a key, or makes these the only ones.
  void add(const kube::ObjectKey& key, const std::set<Interest>& interests);
  void set(const kube::ObjectKey& key, std::set<Interest> interests);
  void forget(const kube::ObjectKey& key) { set(key, {}); }

  // The objects of a kind that is watched, when they are known. An error when the server refuses them;
  // NotFound when it no longer has the kind.
  Task<const kube::ObjectCache*> objects(kube::ResourceType type);

  std::size_t size() const { return watches_.size(); }
  boost::asio::awaitable<void> stop();

 private:
  struct Watch;

  void start(const kube::ResourceType& type);
  void end_unused();
  void tell(const kube::ResourceType& type, const kube::ObjectKey& object);
  static Task<void> run(std::shared_ptr<Watch> watch);

  kube::Client& client_;
  Wake wake_;
  async::TaskGroup tasks_;
  std::map<kube::ObjectKey, std::set<Interest>> interests_;
  std::map<kube::ResourceType, std::shared_ptr<Watch>> watches_;
};

}  // namespace fairway::fleet::agent
