// Notify: wakes the tasks of one event loop that wait for something to change.
//
// A waiter checks its condition, waits, and checks again. notify() wakes all that wait now and leaves no
// trace for later ones; that is enough on one thread, where nothing can change between the check and the
// wait.
#pragma once

#include <list>
#include <memory>

#include "async/task.hpp"
#include "base/clock.hpp"

namespace fairway::async {

class Notify {
 public:
  Notify();
  ~Notify();
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  // Until the next notify(); Cancelled if the task is.
  Task<void> wait();
  // The same, or Timeout at the given time.
  Task<void> wait_until(TimerClock& clock, SteadyTime deadline);
  void notify();

 private:
  class Waiter;
  std::list<Waiter*> waiters_;
};

// Waits on the given clock; Cancelled if the task is.
Task<void> sleep_until(TimerClock& clock, SteadyTime when);
Task<void> sleep_for(TimerClock& clock, Duration duration);

}  // namespace fairway::async
