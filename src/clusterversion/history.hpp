// The history of a cluster's releases, newest first: merging what is applied now, and forgetting the least
// interesting entry when there are too many. Pure.
//
// Merging is idempotent: the same facts merged twice give the same history. `verified` only
// ever becomes true, a completion time is set once, and the accepted risks survive a restart of the operator,
// after which its own release counts as local.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

using History = std::vector<HistoryEntry>;

struct AppliedRelease {
  Release release = {};
  bool is_completed = false;
  bool is_verified = false;
  bool is_local = false;            // neither verified nor checked now, so nothing is known of its risks
  std::string accepted_risks = {};  // of describe_accepted_risks()
};

inline constexpr std::size_t kMostHistory = 100;

// Without an image it could not be had again, so there is no entry for it.
History merge_history(History history, const AppliedRelease& applied, WallTime now,
                      std::size_t most = kMostHistory);

// Removes the entries of lowest rank until `most` remain: never the oldest, the newest five, or the last
// completed one, as long as there are others.
History prune_history(History history, std::size_t most = kMostHistory);

}  // namespace fairway::clusterversion
