// The parts of nodes_decide.hpp that its files share. Not for use outside.
#pragma once

#include <string>

#include "cloud/nodes_decide.hpp"

namespace fairway::cloud::nodes {

inline constexpr std::string_view kTemplateHashLabel = "pod-template-hash";

// Of the Deployment's template, and owned by it.
json::Object new_pod(const json::Object& deployment, const std::string& name, const Settings& settings);
// Of a pod that runs and is ready, since now.
json::Object ready_status(const json::Object& pod, const std::string& address, WallTime now);

// The pods of a Deployment, counted as its status has it.
struct PodCounts {
  std::int64_t wanted = 0;
  std::int64_t all = 0;
  std::int64_t updated = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t max_unavailable = 0;
};
// What has to change in the Deployment's status; an empty object when nothing has.
json::Object status_patch(const json::Object& deployment, const PodCounts& counts, WallTime now);

}  // namespace fairway::cloud::nodes
