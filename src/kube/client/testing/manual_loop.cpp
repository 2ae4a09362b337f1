#include "kube/client/testing/manual_loop.hpp"

namespace fairway::kube::testing {

void ManualLoop::settle() {
  loop.run_until_idle();
}

void ManualLoop::advance(Duration by) {
  const SteadyTime target = clock.steady() + by;
  settle();
  for (auto next = clock.next(); next && *next <= target; next = clock.next()) {
    clock.advance_to_next();
    settle();
  }
  clock.advance(target - clock.steady());
  settle();
}

bool ManualLoop::advance_until(const std::function<bool()>& done, Duration most) {
  const SteadyTime target = clock.steady() + most;
  for (;;) {
    settle();
    if (done()) return true;
    const auto next = clock.next();
    if (!next || *next > target) return false;
    clock.advance_to_next();
  }
}

}  // namespace fairway::kube::testing
