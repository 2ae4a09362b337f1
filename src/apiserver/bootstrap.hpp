// Bootstrap: the objects that every logical cluster has from the start.
#pragma once

#include "apiserver/clusters.hpp"
#include "apiserver/objects.hpp"

namespace fairway::apiserver {

// Namespaces, default roles and, where wanted, the product's CRDs. What exists is left alone, except for the
// CRDs, which follow the binary.
ApiTask<void> bootstrap_cluster(Objects& objects, LogicalCluster& cluster, bool with_product_crds);

}  // namespace fairway::apiserver
