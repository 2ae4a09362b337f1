#include "store/window.hpp"

#include <algorithm>

namespace fairway::store {
namespace {

constexpr std::uint64_t kMarksPerWindow = 16;

}  // namespace

void Window::start(std::span<const HistoryMark> marks, Revision newest, SteadyTime now) {
  count_ = marks.empty() ? 0 : marks.back().newer;
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark)
    marks_.push_back({.revision = mark->revision, .count = count_ - mark->newer, .at = now});
  if (newest != 0) marks_.push_back({.revision = newest, .count = count_, .at = now});
}

void Window::note(Revision revision, SteadyTime now) {
  ++count_;
  const bool is_first = marks_.empty();
  if (is_first ||
      count_ - marks_.back().count >= std::max<std::uint64_t>(limits_.max_changes / kMarksPerWindow, 1) ||
      now - marks_.back().at >= limits_.max_age / kMarksPerWindow)
    marks_.push_back({.revision = revision, .count = count_, .at = now});
}

bool Window::is_due(const Mark& mark, SteadyTime now) const {
  return count_ - mark.count >= limits_.max_changes || now - mark.at >= limits_.max_age;
}

std::optional<Revision> Window::take_due(SteadyTime now) {
  std::optional<Revision> due;
  while (!marks_.empty() && is_due(marks_.front(), now)) {
    due = marks_.front().revision;
    marks_.pop_front();
  }
  return due;
}

}  // namespace fairway::store
