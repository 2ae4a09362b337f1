#include "store/watchers.hpp"

#include <utility>

namespace fairway::store {

void Watchers::add(std::shared_ptr<Watch> watch) {
  watch->is_live = true;
  ++size_;
  List& list = lists_[watch->scope];
  list.push_back(std::move(watch));
}

void Watchers::remove(const std::shared_ptr<Watch>& watch) {
  watch->is_live = false;
  --size_;
  if (depth_ > 0) {
    needs_sweep_ = true;
    return;
  }
  const auto list = lists_.find(watch->scope);
  std::erase(list->second, watch);
  if (list->second.empty()) lists_.erase(list);
}

void Watchers::dispatch(const ChangePtr& change) {
  if (lists_.empty()) return;
  const Key& key = change->now->key;
  ++depth_;
  dispatch_to({.cluster = key.cluster, .resource = key.resource}, change);
  dispatch_to({.cluster = key.cluster, .resource = {}}, change);
  dispatch_to({.cluster = {}, .resource = key.resource}, change);
  dispatch_to({}, change);
  --depth_;
  if (depth_ == 0 && std::exchange(needs_sweep_, false)) sweep();
}

void Watchers::dispatch_to(const Scope& scope, const ChangePtr& change) {
  const auto list = lists_.find(scope);
  if (list == lists_.end()) return;
  // By index: a listener may add watches, which start behind this change.
  for (std::size_t i = 0; i < list->second.size(); ++i) {
    const std::shared_ptr<Watch> watch = list->second[i];
    if (!watch->is_live || change->revision <= watch->since) continue;
    watch->since = change->revision;
    watch->listener(change);
  }
}

void Watchers::sweep() {
  for (auto list = lists_.begin(); list != lists_.end();) {
    std::erase_if(list->second, [](const auto& watch) { return !watch->is_live; });
    list = list->second.empty() ? lists_.erase(list) : std::next(list);
  }
}

void Watchers::end(const Error& error) {
  ++depth_;
  for (auto& [scope, list] : lists_)
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::shared_ptr<Watch> watch = list[i];
      if (!watch->is_live) continue;
      watch->is_live = false;
      --size_;
      watch->listener(std::unexpected(error));
    }
  --depth_;
  sweep();
}

Subscription::Subscription(std::shared_ptr<Watch> watch, std::weak_ptr<Watchers> watchers)
    : watch_(std::move(watch)), watchers_(std::move(watchers)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  cancel();
  watch_ = std::move(other.watch_);
  watchers_ = std::move(other.watchers_);
  return *this;
}

Subscription::~Subscription() {
  cancel();
}

void Subscription::cancel() {
  const std::shared_ptr<Watch> watch = std::exchange(watch_, nullptr);
  if (!watch) return;
  watch->is_cancelled = true;
  if (!watch->is_live) return;
  if (const auto watchers = watchers_.lock()) watchers->remove(watch);
}

}  // namespace fairway::store
