// Definitions: the controller that turns CustomResourceDefinitions into served resources.
//
// It accepts their names, establishes them, swaps the cluster's catalog, and, when one is deleted, removes
// its objects before it lets the definition go.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/clusters.hpp"
#include "apiserver/key_queue.hpp"
#include "apiserver/objects.hpp"
#include "async/task.hpp"

namespace fairway::apiserver {

class Definitions {
 public:
  Definitions(Objects& objects, Clusters& clusters, TimerClock& clock)
      : objects_(objects), clusters_(clusters), clock_(clock) {}

  void hear(const store::Change& change);
  // Looks at every definition that the store has; for the start.
  void load();
  Task<void> run();
  // Looks at all definitions of the cluster now, so that they are served when this returns.
  boost::asio::awaitable<void> settle(std::string cluster);

  static bool is_definition(const store::Key& key);

 private:
  using DefinitionPtr = std::shared_ptr<const json::Object>;
  struct Parsed {
    store::Revision revision = 0;
    DefinitionPtr definition = {};
  };

  std::vector<DefinitionPtr> all_of(const std::string& cluster);
  void rebuild(const std::string& cluster);
  boost::asio::awaitable<bool> reconcile(const store::Key& key);
  boost::asio::awaitable<bool> finish(const store::Key& key, const json::Object& crd);

  Objects& objects_;
  Clusters& clusters_;
  TimerClock& clock_;
  KeyQueue queue_;
  // By name, of the cluster that was looked at last: definitions are large, and change in groups.
  std::string parsed_cluster_;
  std::map<std::string, Parsed, std::less<>> parsed_;
  std::map<store::Scope, store::Key>
      leaving_;  // resources whose objects are awaited to go, and their definitions
};

}  // namespace fairway::apiserver
