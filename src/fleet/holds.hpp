// What makes a rollout stand still, and the time that it does. Pure.
//
// Standing still, nobody new is enforced, and no time counts. Draining, the batch that is open goes on to its
// end; frozen, nobody is enforced at all. It goes on exactly where it stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fleet/types.hpp"

namespace fairway::fleet {

// There, and not taken back by "false".
bool has_annotation(const ClusterGroupUpgrade& rollout, std::string_view annotation);

struct Hold {
  std::string cause = {};  // "Rollout paused by <cause>"
  HoldMode mode = HoldMode::Drain;
  std::optional<WallTime> until = {};  // when it ends by itself
};

// `next_batch`: the one that would be opened now, from 1; nothing: none would.
std::optional<Hold> hold_of(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status,
                            std::optional<std::size_t> next_batch, WallTime now);

// Whether somebody has agreed to the batch, by the status or by the annotation.
bool is_approved(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status,
                 std::size_t batch);
bool needs_approval(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status,
                    std::size_t batch);
// What the annotation says goes on record.
void record_approval(const ClusterGroupUpgrade& rollout, ClusterGroupUpgradeStatus& status, std::size_t batch,
                     WallTime now);

struct Failures {
  std::int64_t failed = 0;  // without those that were acknowledged
  std::int64_t of = 0;
  bool are_too_many = false;
};
// Against the threshold; none are too many without one.
Failures failures_of(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status);

// From here on, time does not count; it does again.
void stand_still(ClusterGroupUpgradeStatus& status, WallTime now);
void go_on(ClusterGroupUpgradeStatus& status, WallTime now);
// Seconds since the start that counted.
std::int64_t active_seconds(const ClusterGroupUpgradeStatus& status, WallTime now);

// What the rollout is doing, in one word: Preparing, Rolling, Paused, Succeeded, Failed.
std::string phase_word(const ClusterGroupUpgradeStatus& status);
// Phase, counts and windows for people, where the rollout has controls.
void sum_up(const ClusterGroupUpgrade& rollout, ClusterGroupUpgradeStatus& status, WallTime now);

}  // namespace fairway::fleet
