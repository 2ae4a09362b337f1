// Window: how much history to keep, by number of changes and by age.
//
// It remembers a few marks, not every change: compaction goes forward in sixteenths of the window. Age is
// measured on the steady clock, so that a jump of the wall clock drops nothing; what was there at the start
// counts as new.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "store/log_file.hpp"
#include "store/types.hpp"

namespace fairway::store {

struct WindowLimits {
  std::uint64_t max_changes = 50'000;
  Duration max_age = std::chrono::minutes(30);
};

class Window {
 public:
  explicit Window(WindowLimits limits) : limits_(limits) {}

  // What the log held at the start, newest first.
  void start(std::span<const HistoryMark> marks, Revision newest, SteadyTime now);
  void note(Revision revision, SteadyTime now);
  // The newest revision whose history is too old or too far back; each is returned once.
  std::optional<Revision> take_due(SteadyTime now);

 private:
  struct Mark {
    Revision revision = 0;
    std::uint64_t count = 0;  // of changes up to this one
    SteadyTime at{};
  };
  bool is_due(const Mark& mark, SteadyTime now) const;

  WindowLimits limits_;
  std::uint64_t count_ = 0;
  std::deque<Mark> marks_;
};

}  // namespace fairway::store
