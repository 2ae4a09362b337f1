#include "fleet/batches.hpp"

#include <set>

namespace fairway::fleet {

BatchPlan plan_batches(const std::vector<std::string>& clusters, const std::vector<std::string>& canaries,
                       std::int64_t max_concurrency,
                       const std::function<bool(const std::string&)>& needs_work) {
  BatchPlan plan;
  const std::set<std::string_view> first(canaries.begin(), canaries.end());
  for (const std::string& canary : canaries) {
    if (needs_work(canary)) plan.batches.push_back({canary});
  }
  plan.canary_batches = static_cast<std::int64_t>(plan.batches.size());
  Batch open;
  for (const std::string& cluster : clusters) {
    if (!needs_work(cluster)) {
      plan.compliant.push_back(cluster);
    } else if (!first.contains(cluster)) {
      open.push_back(cluster);
      if (static_cast<std::int64_t>(open.size()) < max_concurrency) continue;
      plan.batches.push_back(std::move(open));
      open.clear();
    }
  }
  if (!open.empty()) plan.batches.push_back(std::move(open));
  return plan;
}

}  // namespace fairway::fleet
