#include "fleet/batches.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace fairway::fleet {
namespace {

std::size_t size_of_batch(const BatchShape& shape, std::size_t number, std::size_t left) {
  if (shape.is_one_batch) return left;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(shape.max_concurrency, 1));
  if (shape.sizes.empty()) return most;
  const std::int64_t asked = shape.sizes[std::min(number, shape.sizes.size() - 1)];
  return std::min(most, static_cast<std::size_t>(std::max<std::int64_t>(asked, 1)));
}

// The next batch of those who are left.
Batch take_batch(std::deque<std::string>& left, const BatchShape& shape, std::size_t size) {
  Batch taken;
  std::map<std::string, std::int64_t> places;
  std::deque<std::string> later;
  while (!left.empty() && taken.size() < size) {
    std::string cluster = std::move(left.front());
    left.pop_front();
    const std::string place = shape.max_per_place > 0 ? shape.place_of(cluster) : std::string();
    if (!place.empty() && places[place] >= shape.max_per_place) {
      later.push_back(std::move(cluster));
      continue;
    }
    if (!place.empty()) ++places[place];
    taken.push_back(std::move(cluster));
  }
  left.insert(left.begin(), std::make_move_iterator(later.begin()), std::make_move_iterator(later.end()));
  return taken;
}

}  // namespace

BatchPlan plan_batches(const std::vector<std::string>& clusters, const std::vector<std::string>& canaries,
                       const BatchShape& shape, const std::function<bool(const std::string&)>& needs_work) {
  BatchPlan plan;
  const std::set<std::string_view> first(canaries.begin(), canaries.end());
  for (const std::string& canary : canaries) {
    if (needs_work(canary)) plan.batches.push_back({canary});
  }
  plan.canary_batches = static_cast<std::int64_t>(plan.batches.size());
  std::deque<std::string> left;
  for (const std::string& cluster : clusters) {
    if (!needs_work(cluster)) {
      plan.compliant.push_back(cluster);
    } else if (!first.contains(cluster)) {
      left.push_back(cluster);
    }
  }
  for (std::size_t number = 0; !left.empty(); ++number)
    plan.batches.push_back(take_batch(left, shape, size_of_batch(shape, number, left.size())));
  return plan;
}

}  // namespace fairway::fleet
