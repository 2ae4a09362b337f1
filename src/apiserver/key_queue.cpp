#include "apiserver/key_queue.hpp"

namespace fairway::apiserver {

namespace {
constexpr Duration kRetryPause = std::chrono::seconds(1);
}

Task<void> work_off(KeyQueue& queue, TimerClock& clock, Reconcile reconcile) {
  for (;;) {
    FAIRWAY_CO_TRY(const store::Key key, co_await queue.next());
    if (co_await reconcile(key)) continue;
    queue.add(key);
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, kRetryPause));
  }
}

}  // namespace fairway::apiserver
