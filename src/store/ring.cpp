#include "store/ring.hpp"

#include <algorithm>
#include <utility>

namespace fairway::store {
namespace {

// What a change keeps alive at most: its own value and, when nothing else holds it any more, the one before.
std::size_t weight(const Change& change) {
  constexpr std::size_t kObjects = sizeof(Change) + 2 * sizeof(Entry);
  return kObjects + change.now->value->size() + (change.before ? change.before->value->size() : 0);
}

}  // namespace

void Ring::restart(Revision revision) {
  changes_.clear();
  bytes_ = 0;
  floor_ = revision;
}

void Ring::push(ChangePtr change) {
  bytes_ += weight(*change);
  changes_.push_back(std::move(change));
  while (changes_.size() > max_changes_ || (bytes_ > max_bytes_ && !changes_.empty())) {
    floor_ = changes_.front()->revision;
    bytes_ -= weight(*changes_.front());
    changes_.pop_front();
  }
}

ChangePtr Ring::next(const Scope& scope, Revision since) const {
  auto at =
      std::ranges::upper_bound(changes_, since, {}, [](const ChangePtr& change) { return change->revision; });
  at = std::find_if(at, changes_.end(),
                    [&](const ChangePtr& change) { return scope.covers(change->now->key); });
  return at == changes_.end() ? nullptr : *at;
}

}  // namespace fairway::store
