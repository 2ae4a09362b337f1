// Clock: the only source of time. Everything that needs time is given one; a lint forbids the real clocks
// elsewhere, so that every test can run on a ManualClock.
//
// Wall time is for stamps that people and other programs read; it can jump. Steady time is for waiting and
// for measuring; it never jumps. A TimerClock can also call back at a steady time: the event loop's clock
// (async/loop_clock.hpp) and the ManualClock are such clocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace fairway {

using Duration = std::chrono::nanoseconds;
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

struct SteadyEpoch {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SteadyEpoch>;
  static constexpr bool is_steady = true;
};
using SteadyTime = SteadyEpoch::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;
  virtual SteadyTime steady() const = 0;
};

// The machine's clock.
class SystemClock final : public Clock {
 public:
  WallTime now() const override;
  SteadyTime steady() const override;
};

// Destroying a timer cancels it; its callback then never runs.
class Timer {
 public:
  virtual ~Timer() = default;
};

class TimerClock : public Clock {
 public:
  // Calls `fire` once, at or after `when`; at the next opportunity if that is already past, never inline.
  [[nodiscard]] virtual std::unique_ptr<Timer> call_at(SteadyTime when, std::function<void()> fire) = 0;
};

// A clock that moves only when told to. Callbacks run inside advance(), in order of their time and, at the
// same time, of their registration; timers that a callback adds for a time already reached run in the same
// call. Safe to use from several threads; the clock outlives its timers.
class ManualClock final : public TimerClock {
 public:
  explicit ManualClock(WallTime start = WallTime{std::chrono::seconds{1'700'000'000}});

  WallTime now() const override;
  SteadyTime steady() const override;
  std::unique_ptr<Timer> call_at(SteadyTime when, std::function<void()> fire) override;

  void advance(Duration by);
  // Moves the wall clock alone, as an operator or NTP would.
  void jump_wall(Duration by);
  std::size_t pending() const;
  // The earliest registered time; none when nothing waits.
  std::optional<SteadyTime> next() const;
  // Advances just far enough to fire the earliest timer; false when nothing waits.
  bool advance_to_next();

 private:
  class ManualTimer;
  using Slot = std::pair<SteadyTime, std::uint64_t>;

  mutable std::mutex mutex_;
  WallTime wall_;
  SteadyTime steady_{};
  std::uint64_t sequence_ = 0;
  std::map<Slot, std::function<void()>> timers_;
};

}  // namespace fairway
