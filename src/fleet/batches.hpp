// The batches of a rollout: canaries alone and first, then the rest in their order. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fleet/types.hpp"

namespace fairway::fleet {

struct BatchPlan {
  std::vector<Batch> batches = {};
  std::int64_t canary_batches = 0;          // so many at the front
  std::vector<std::string> compliant = {};  // selected, and nothing to do there
  bool operator==(const BatchPlan&) const = default;
};

// `canaries` are among `clusters`, each once. max_concurrency is at least 1 unless there are no clusters.
BatchPlan plan_batches(const std::vector<std::string>& clusters, const std::vector<std::string>& canaries,
                       std::int64_t max_concurrency,
                       const std::function<bool(const std::string&)>& needs_work);

}  // namespace fairway::fleet
