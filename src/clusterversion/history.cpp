#include "clusterversion/history.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace fairway::clusterversion {
namespace {

bool is_completed(const HistoryEntry& entry) {
  return entry.state == kCompleted;
}

// The same release, in which the one may know a part that the other lacks.
bool is_same_release(const HistoryEntry& entry, const Release& release) {
  if (entry.image == release.image)
    return entry.version.empty() || release.version.empty() || entry.version == release.version;
  return entry.image.empty() && !release.version.empty() && entry.version == release.version;
}

void fill_missing(HistoryEntry& entry, const Release& release) {
  if (entry.image.empty()) entry.image = release.image;
  if (entry.version.empty()) entry.version = release.version;
}

HistoryEntry start(const AppliedRelease& applied, WallTime now) {
  return {.state = std::string(kPartial),
          .started_time = now,
          .version = applied.release.version,
          .image = applied.release.image,
          .accepted_risks = applied.accepted_risks};
}

void finish(HistoryEntry& entry, WallTime now) {
  entry.state = kCompleted;
  if (!entry.completion_time.time) entry.completion_time.time = now;
}

// The first `parts` numbers of a version: 4.6 of 4.6.23. Text, because a history may hold anything.
std::string_view leading(std::string_view version, int parts) {
  std::size_t end = 0;
  for (; parts > 0 && end != std::string_view::npos; --parts)
    end = version.find('.', end + (end > 0 ? 1 : 0));
  return version.substr(0, end);
}

// The completed entries on both sides of one; older entries have larger indexes.
struct Neighbours {
  const HistoryEntry* newer = nullptr;
  const HistoryEntry* older = nullptr;
};

Neighbours completed_around(const History& history, std::size_t index) {
  Neighbours found;
  for (std::size_t i = index; i-- > 0 && !found.newer;) {
    if (is_completed(history[i])) found.newer = &history[i];
  }
  for (std::size_t i = index + 1; i < history.size() && !found.older; ++i) {
    if (is_completed(history[i])) found.older = &history[i];
  }
  return found;
}

bool differ(const HistoryEntry& left, const HistoryEntry& right, int parts) {
  return leading(left.version, parts) != leading(right.version, parts);
}

constexpr std::size_t kNewest = 5;
constexpr double kIndispensable = 1000;
constexpr double kEndOfAMinor = 30;
constexpr double kPartialBetweenMinors = 20;
constexpr double kPartialBetweenPatches = -20;
constexpr double kByAge = -1.01;  // for each index; no two ranks are equal

double weight(const History& history, std::size_t index, std::optional<std::size_t> last_completed) {
  if (index < kNewest || index + 1 == history.size() || index == last_completed) return kIndispensable;
  const HistoryEntry& entry = history[index];
  const auto [newer, older] = completed_around(history, index);
  if (is_completed(entry)) {
    const bool is_inside = newer && older && !differ(entry, *newer, 2) && !differ(entry, *older, 2);
    return is_inside ? 0 : kEndOfAMinor;
  }
  if (!newer || !older) return 0;
  if (differ(*newer, *older, 2)) return kPartialBetweenMinors;
  return differ(*newer, *older, 3) ? kPartialBetweenPatches : 0;
}

std::size_t least_interesting(const History& history) {
  const auto completed = std::ranges::find_if(history, is_completed);
  std::optional<std::size_t> last_completed;
  if (completed != history.end()) last_completed = static_cast<std::size_t>(completed - history.begin());
  std::size_t lowest = 0;
  double lowest_rank = kIndispensable + 1;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const double rank = weight(history, i, last_completed) + kByAge * static_cast<double>(i);
    if (rank >= lowest_rank) continue;
    lowest = i;
    lowest_rank = rank;
  }
  return lowest;
}

}  // namespace

History merge_history(History history, const AppliedRelease& applied, WallTime now, std::size_t most) {
  if (applied.release.image.empty()) return history;
  if (history.empty() || !is_same_release(history.front(), applied.release)) {
    if (!history.empty() && !history.front().completion_time.time) history.front().completion_time.time = now;
    history.insert(history.begin(), start(applied, now));
  }
  HistoryEntry& entry = history.front();
  fill_missing(entry, applied.release);
  if (entry.state.empty()) entry.state = kPartial;
  if (applied.is_completed) finish(entry, now);
  if (!applied.is_local) entry.accepted_risks = applied.accepted_risks;
  if (applied.is_verified) entry.verified = true;
  return prune_history(std::move(history), most);
}

History prune_history(History history, std::size_t most) {
  while (history.size() > most)
    history.erase(history.begin() + static_cast<std::ptrdiff_t>(least_interesting(history)));
  return history;
}

}  // namespace fairway::clusterversion
