// Namespaces: the controller that empties a namespace that is being deleted, and then lets it go.
#pragma once

#include <set>
#include <string>

#include "apiserver/clusters.hpp"
#include "apiserver/key_queue.hpp"
#include "apiserver/objects.hpp"
#include "async/task.hpp"

namespace fairway::apiserver {

class Namespaces {
 public:
  Namespaces(Objects& objects, Clusters& clusters, TimerClock& clock)
      : objects_(objects), clusters_(clusters), clock_(clock) {}

  void hear(const store::Change& change);
  void load();
  Task<void> run();

 private:
  boost::asio::awaitable<bool> reconcile(const store::Key& key);
  boost::asio::awaitable<std::size_t> empty(const std::string& cluster, const std::string& ns,
                                            std::string& remaining);

  Objects& objects_;
  Clusters& clusters_;
  TimerClock& clock_;
  KeyQueue queue_;
  std::set<std::pair<std::string, std::string>> terminating_;  // cluster and name
};

}  // namespace fairway::apiserver
