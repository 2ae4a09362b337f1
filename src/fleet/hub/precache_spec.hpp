// What is fetched to clusters before a rollout: the software that its policies ask for, and what a
// PreCachingConfig says about it. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/types.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

// spec.preCachingConfigRef, if there is one; its namespace is the rollout's where none is given.
std::optional<RolloutReference> precaching_config_of(const ClusterGroupUpgrade& rollout);

struct PrecacheSpec {
  json::Object spec = {};      // as in status.precaching.spec
  std::string job_image = {};  // empty: the usual one
  std::string problem = {};    // after "Precaching spec is incomplete: "
};
// Of these root policies, in order. `config` is null when the rollout names none, or when that is missing.
PrecacheSpec precache_spec(const ClusterGroupUpgrade& rollout,
                           const std::vector<std::shared_ptr<const json::Object>>& policies,
                           const json::Object* config);

// For the job on the cluster: a file for each part.
json::Object precache_config_map(const json::Object& spec);

}  // namespace fairway::fleet
