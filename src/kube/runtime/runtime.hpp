// Runtime: what the controllers of one process share on one cluster: caches, events, leadership, start and
// stop.
//
// A cache is made once for each type and selection, however many controllers ask for it. run() starts caches
// and events at once and the controllers when this copy leads; when leadership is lost the controllers are
// stopped and awaited, and the copy becomes a candidate again. Cancelling run() stops everything in the
// opposite order. Belongs to one event loop; the client outlives it.
//
//   Runtime runtime(client, {.name = "mirror"});
//   auto& widgets = runtime.cache<Widget>();
//   auto& controller = runtime.add_controller({.name = "mirror"}, reconcile);
//   controller.watch(widgets);
//   co_await runtime.run();
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeindex>
#include <vector>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/metrics.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/cache.hpp"
#include "kube/runtime/controller.hpp"
#include "kube/runtime/event_recorder.hpp"
#include "kube/runtime/leader_election.hpp"
#include "kube/runtime/watcher.hpp"

namespace fairway::kube {

// Which objects of a type.
struct Selection {
  std::string namespace_ = {};  // empty: all
  std::string label_selector = {};
  std::string field_selector = {};
  auto operator<=>(const Selection&) const = default;
};

struct RuntimeOptions {
  std::string name;                                           // of the component: in events and logs
  std::optional<LeaderElectionOptions> leader_election = {};  // none: always leads
  EventApi event_api = EventApi::CoreV1;
  metrics::Registry* metrics = nullptr;
  std::uint64_t seed = 1;  // of all jitter
};

struct Health {
  bool is_ready = false;  // all caches have synced
  bool is_leader = false;
  std::vector<std::string> waiting_for = {};  // the caches that have not
  std::vector<std::string> undecodable = {};  // objects that could not be read, and why
};

class Runtime {
 public:
  Runtime(Client& client, RuntimeOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Of a described struct, or of JSON objects. One that is asked for while running starts at once.
  template <TypedObject T>
  Cache<T>& cache(Selection selection = {}) {
    return cache_of<T>(resource_type(static_cast<const T*>(nullptr)), std::move(selection));
  }
  ObjectCache& cache(const ResourceType& type, Selection selection = {}) {
    return cache_of<json::Object>(type, std::move(selection));
  }

  // Before run().
  Controller& add_controller(ControllerOptions options, Controller::Reconcile reconcile);

  Client& client() { return client_; }
  EventRecorder& events() { return events_; }

  // Until cancelled.
  Task<void> run();
  bool is_running() const { return running_ != nullptr; }
  Health health() const;

 private:
  using CacheId = std::tuple<std::type_index, ResourceType, Selection>;
  struct Informer {
    ResourceType type;
    std::unique_ptr<CacheBase> cache;
    std::unique_ptr<Watcher> watcher;
  };

  template <class T>
  Cache<T>& cache_of(const ResourceType& type, Selection selection) {
    const CacheId id{typeid(T), type, selection};
    if (auto found = informers_.find(id); found != informers_.end())
      return static_cast<Cache<T>&>(*found->second.cache);
    auto made = std::make_unique<Cache<T>>();
    Cache<T>& cache = *made;
    add_informer(id, std::move(made));
    return cache;
  }
  void add_informer(const CacheId& id, std::unique_ptr<CacheBase> cache);
  Task<void> lead();
  Task<void> contend();

  Client& client_;
  RuntimeOptions options_;
  EventRecorder events_;
  std::map<CacheId, Informer> informers_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::unique_ptr<LeaderElection> election_;
  async::TaskGroup* running_ = nullptr;  // while run() runs
  bool is_leading_ = false;
};

}  // namespace fairway::kube
