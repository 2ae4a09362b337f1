// Clusters: the logical clusters that the server serves. They share the store and nothing else.
//
// A cluster exists once it has been added, by a setting at the start or because the store has objects of it.
// Its catalog changes as its CRDs do.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.hpp"
#include "apiserver/crd_resource.hpp"
#include "store/types.hpp"

namespace fairway::apiserver {

struct LogicalCluster {
  std::string name;
  std::shared_ptr<const Catalog> catalog = Catalog::make({});
  // Since when the schema of a custom resource is what it is, by stored_as.
  std::map<std::string, store::Revision> schema_since = {};
};

class Clusters {
 public:
  // Null when there is no such cluster.
  LogicalCluster* find(std::string_view name);
  LogicalCluster& add(std::string_view name);
  std::vector<std::string> names() const;
  ResourceCache& resource_cache() { return cache_; }

 private:
  std::map<std::string, LogicalCluster, std::less<>> clusters_;
  ResourceCache cache_;
};

// A DNS label: it stands in URLs and kubeconfig contexts.
bool is_cluster_name(std::string_view name);

}  // namespace fairway::apiserver
