#include "kube/runtime/own_writes.hpp"

namespace fairway::kube {

void OwnWrites::add(const ObjectKey& key, IsShown is_shown) {
  Writes& writes = writes_[key];
  writes.since = clock_.steady();
  writes.open.push_back(std::move(is_shown));
}

std::optional<WallTime> OwnWrites::awaited_until(const ObjectKey& key) {
  const auto found = writes_.find(key);
  if (found == writes_.end()) return std::nullopt;
  auto& [since, open] = found->second;
  std::erase_if(open, [](const IsShown& is_shown) { return is_shown(); });
  const Duration left = since + patience_ - clock_.steady();
  if (open.empty() || left <= Duration::zero()) {
    writes_.erase(found);
    return std::nullopt;
  }
  return clock_.now() + left;
}

}  // namespace fairway::kube
