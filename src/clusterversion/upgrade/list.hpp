// The list: where the cluster stands and which updates there are for it. Pure.
//
// The text is that of the design's console, byte for byte: versions and images are separated by a tab, and
// what is not recommended says whether that is known (False) or could not be told (Unknown).
#pragma once

#include "clusterversion/types.hpp"
#include "clusterversion/upgrade/outcome.hpp"

namespace fairway::clusterversion::upgrade {

struct ListOptions {
  bool include_not_recommended = false;
  bool is_wide = false;  // channels and notes of releases, and the names of risks
};

Outcome list_updates(const ClusterVersion& cluster, const ListOptions& options = {});

// The same for programs: all updates, whatever the verdict on them.
json::Object list_document(const ClusterVersion& cluster);

}  // namespace fairway::clusterversion::upgrade
