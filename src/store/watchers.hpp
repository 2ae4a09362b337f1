// Watchers: who hears of committed changes, and the subscriptions that their owners hold.
//
// A watch first catches up with the past (core_history.cpp) and then goes live here. It hears each change
// after its revision once, in order. Listeners may subscribe, cancel any subscription, their own included,
// and write; all of this happens on the event loop.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "store/types.hpp"

namespace fairway::store {

// An error ends the subscription: Gone when its past is no longer kept, Cancelled when the store is closed.
using Listener = std::function<void(Result<ChangePtr>)>;

struct Watch {
  Scope scope;
  Revision since = 0;  // of the last change heard
  Listener listener;
  std::move_only_function<void()> caught_up;  // if set, the watch ends with the past instead of going live
  bool is_live = false;
  bool is_cancelled = false;
};

class Watchers {
 public:
  void add(std::shared_ptr<Watch> watch);
  void remove(const std::shared_ptr<Watch>& watch);
  void dispatch(const ChangePtr& change);
  // Tells everybody, and forgets them.
  void end(const Error& error);
  std::size_t size() const { return size_; }

 private:
  using List = std::vector<std::shared_ptr<Watch>>;
  void dispatch_to(const Scope& scope, const ChangePtr& change);
  void sweep();

  std::map<Scope, List> lists_;
  std::size_t size_ = 0;
  int depth_ = 0;             // of dispatch inside dispatch
  bool needs_sweep_ = false;  // lists must not shrink while they are walked
};

// Ends the subscription when it is destroyed; may outlive the store.
class Subscription {
 public:
  Subscription() = default;
  Subscription(std::shared_ptr<Watch> watch, std::weak_ptr<Watchers> watchers);
  Subscription(Subscription&& other) noexcept = default;
  Subscription& operator=(Subscription&& other) noexcept;
  ~Subscription();

  // The listener is not called again.
  void cancel();

 private:
  std::shared_ptr<Watch> watch_;
  std::weak_ptr<Watchers> watchers_;
};

}  // namespace fairway::store
