// OwnWrites: what a controller has written and its caches do not show yet.
//
// A look before that would decide from a world that is known to be old: at best it finds nothing to do, at
// worst it tries the same once more and meets a conflict. So the key waits until the echo of each write is
// there, which makes it due anyway. An echo that does not come (nothing was changed, or somebody else was
// quicker in a way that does not show) is waited for no longer than `patience`. Only an economy: every write
// is guarded by what was seen, whenever that was. Belongs to one event loop.
//
//   if (const auto until = writes.awaited_until(key)) co_return ReconcileResult{until, "…"};
//   … decide, write …
//   writes.add(key, [&cache, place] { return cache.get(place) != nullptr; });
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "kube/core/object.hpp"

namespace fairway::kube {

class OwnWrites {
 public:
  using IsShown = std::function<bool()>;

  explicit OwnWrites(const Clock& clock, Duration patience = std::chrono::seconds(1))
      : clock_(clock), patience_(patience) {}

  // A write for `key` was carried out; the caches show it when `is_shown` says so.
  void add(const ObjectKey& key, IsShown is_shown);
  // Nothing: all is shown, or was waited for long enough. What is shown once is not asked for again.
  std::optional<WallTime> awaited_until(const ObjectKey& key);

  std::size_t size() const { return writes_.size(); }

 private:
  struct Writes {
    SteadyTime since;  // the last one
    std::vector<IsShown> open;
  };

  const Clock& clock_;
  Duration patience_;
  std::map<ObjectKey, Writes> writes_;
};

}  // namespace fairway::kube
