// KeyQueue: the keys that one of the server's own controllers has still to look at. Each stands in it once.
#pragma once

#include <functional>
#include <set>

#include "async/notify.hpp"
#include "base/clock.hpp"
#include "store/types.hpp"

namespace fairway::apiserver {

class KeyQueue {
 public:
  void add(store::Key key) {
    if (keys_.insert(std::move(key)).second) added_.notify();
  }
  bool empty() const { return keys_.empty(); }
  // Waits for a key where there is none.
  Task<store::Key> next() {
    while (keys_.empty()) FAIRWAY_CO_CHECKED(co_await added_.wait());
    co_return std::move(keys_.extract(keys_.begin()).value());
  }

 private:
  std::set<store::Key> keys_;
  async::Notify added_;
};

// Reconciles one key after the other until it is cancelled. A key whose reconcile gives false could not be
// brought about (the store cannot write now) and is tried again, after a pause.
using Reconcile = std::function<boost::asio::awaitable<bool>(const store::Key&)>;
Task<void> work_off(KeyQueue& queue, TimerClock& clock, Reconcile reconcile);

}  // namespace fairway::apiserver
