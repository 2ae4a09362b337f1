#include "base/clock.hpp"

namespace fairway {

WallTime SystemClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady() const {
  return SteadyTime{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

class ManualClock::ManualTimer final : public Timer {
 public:
  ManualTimer(ManualClock& clock, Slot slot) : clock_(clock), slot_(slot) {}
  ~ManualTimer() override {
    std::lock_guard lock(clock_.mutex_);
    clock_.timers_.erase(slot_);
  }

 private:
  ManualClock& clock_;
  Slot slot_;
};

ManualClock::ManualClock(WallTime start) : wall_(start) {}

WallTime ManualClock::now() const {
  std::lock_guard lock(mutex_);
  return wall_;
}

SteadyTime ManualClock::steady() const {
  std::lock_guard lock(mutex_);
  return steady_;
}

std::unique_ptr<Timer> ManualClock::call_at(SteadyTime when, std::function<void()> fire) {
  std::lock_guard lock(mutex_);
  const Slot slot{when, sequence_++};
  timers_.emplace(slot, std::move(fire));
  return std::make_unique<ManualTimer>(*this, slot);
}

void ManualClock::advance(Duration by) {
  std::unique_lock lock(mutex_);
  const SteadyTime target = steady_ + by;
  while (!timers_.empty() && timers_.begin()->first.first <= target) {
    auto node = timers_.extract(timers_.begin());
    if (node.key().first > steady_) {
      wall_ += node.key().first - steady_;
      steady_ = node.key().first;
    }
    lock.unlock();
    node.mapped()();
    lock.lock();
  }
  if (target > steady_) {
    wall_ += target - steady_;
    steady_ = target;
  }
}

void ManualClock::jump_wall(Duration by) {
  std::lock_guard lock(mutex_);
  wall_ += by;
}

std::size_t ManualClock::pending() const {
  std::lock_guard lock(mutex_);
  return timers_.size();
}

std::optional<SteadyTime> ManualClock::next() const {
  std::lock_guard lock(mutex_);
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

bool ManualClock::advance_to_next() {
  const auto earliest = next();
  if (!earliest) return false;
  const SteadyTime now = steady();
  advance(*earliest > now ? *earliest - now : Duration::zero());
  return true;
}

}  // namespace fairway
