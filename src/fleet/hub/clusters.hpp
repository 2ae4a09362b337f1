// ManagedClusters: the fleet, kept from the cache of ManagedClusters: facts, an index by label, and the table
// that decisions share.
//
// Handlers are told of a change after it can be seen here, and only if something differs that anybody could
// judge by: the heartbeats of ten thousand clusters are none. A table that nobody holds any more is changed
// in place, so that a label costs the same however large the fleet is. Belongs to the runtime's event loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/availability.hpp"
#include "fleet/hub/cluster_facts.hpp"
#include "fleet/selection.hpp"
#include "kube/runtime/cache.hpp"

namespace fairway::fleet {

class ManagedClusters {
 public:
  struct Change {
    std::string name;
    Cluster before;  // null: it is new
    Cluster after;   // null: it is gone

    bool has_new_availability() const {
      return !before || !after || before->unavailable_since != after->unavailable_since;
    }
    bool has_new_labels() const { return !before || !after || before->labels != after->labels; }
  };
  using Handler = std::function<void(const Change&)>;

  explicit ManagedClusters(kube::ObjectCache& cache);
  ManagedClusters(const ManagedClusters&) = delete;
  ManagedClusters& operator=(const ManagedClusters&) = delete;

  // Before the runtime runs.
  void on_change(Handler handler) { handlers_.push_back(std::move(handler)); }

  Cluster find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  std::size_t size() const { return clusters_.size(); }
  std::vector<Cluster> all() const;
  // That have one of these index values (ClusterFacts::label_values); each once, by name.
  std::vector<Cluster> with_any(const std::vector<std::string>& values) const;
  bool has_any(std::string_view value) const { return !by_label_.find(value).empty(); }
  std::shared_ptr<const ClusterTable> table() const { return table_; }
  std::shared_ptr<const UnavailableClusters> unavailable() const { return unavailable_; }
  kube::ObjectCache& cache() { return cache_; }

 private:
  void take(const kube::Change<json::Object>& change);
  void put_into_table(const std::string& name, const ClusterFacts* facts);
  void put_availability(const std::string& name, const ClusterFacts* facts);

  kube::ObjectCache& cache_;
  std::map<std::string, Cluster, std::less<>> clusters_;
  kube::KeyIndex by_label_;
  std::shared_ptr<ClusterTable> table_ = std::make_shared<ClusterTable>();
  std::shared_ptr<UnavailableClusters> unavailable_ = std::make_shared<UnavailableClusters>();
  std::vector<Handler> handlers_;
  kube::ObjectCache::Subscription subscription_;
};

}  // namespace fairway::fleet
