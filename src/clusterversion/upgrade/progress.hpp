// Progress: how far a running update is, how long it may still take, what it waits for; and the history of
// the updates before it. Pure: the time is given.
//
// Everything is read from the ClusterVersion. Nodes and operators are not looked at, and the text says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "clusterversion/types.hpp"
#include "clusterversion/upgrade/outcome.hpp"

namespace fairway::clusterversion::upgrade {

struct Progress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t percent = 0;
  std::string waiting = {};  // what the message says after the numbers
};

// "Working towards 4.7.4: 12 of 40 done (30% complete), waiting on etcd"; nothing for any other text.
std::optional<Progress> read_progress(std::string_view message);

// At the pace so far; nothing before the first step is done.
std::optional<Duration> estimate_remaining(const Progress& progress, Duration elapsed);

Outcome update_status(const ClusterVersion& cluster, WallTime now);
json::Object status_document(const ClusterVersion& cluster, WallTime now);

struct HistoryOptions {
  bool is_wide = false;     // images, and the accepted risks below each entry
  bool is_verbose = false;  // the accepted risks alone
};
Outcome show_history(const ClusterVersion& cluster, const HistoryOptions& options = {});
// The entries as they stand in the object.
json::Value history_document(const ClusterVersion& cluster);

}  // namespace fairway::clusterversion::upgrade
