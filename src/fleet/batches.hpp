// The batches of a rollout: canaries alone and first, then the rest in their order, except where a batch has
// enough of one place: then the next of another place goes first. Pure.
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

// How the clusters that are no canaries are cut into batches.
struct BatchShape {
  std::int64_t max_concurrency = 0;      // at least 1 unless there are no clusters
  std::vector<std::int64_t> sizes = {};  // of one after the other, at most max_concurrency; the last repeats
  bool is_one_batch = false;             // which takes clusters in as others are done
  std::int64_t max_per_place = 0;        // clusters of a batch with the same place; 0: any number
  std::function<std::string(const std::string&)> place_of = {};  // empty: nowhere, and does not count
};

// `canaries` are among `clusters`, each once.
BatchPlan plan_batches(const std::vector<std::string>& clusters, const std::vector<std::string>& canaries,
                       const BatchShape& shape, const std::function<bool(const std::string&)>& needs_work);

}  // namespace fairway::fleet
