// What the tests of this folder share: the cluster of the design's story, and ways to change it.
#pragma once

#include <string>
#include <string_view>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion::upgrade::testing {

std::string test_file(const std::string& name);  // of testdata/
ClusterVersion story_cluster();

void set_condition(ClusterVersion& cluster, std::string_view type, std::string_view status,
                   std::string_view reason = "Because", std::string_view message = "Some message.");
// A merge patch, as the server applies it.
ClusterVersion patched(const ClusterVersion& cluster, const json::Object& patch);

}  // namespace fairway::clusterversion::upgrade::testing
