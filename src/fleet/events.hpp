// What a rollout tells the world: events of events.k8s.io/v1 about it, with annotations that programs read.
// Pure.
//
// They travel with the status write that makes them true, and are recorded when that has succeeded: once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/types.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kReportingController = "ClusterGroupUpgrade";
inline constexpr std::size_t kLongestList = 64 * 1024;  // bytes of a list in an annotation

struct RolloutEvent {
  bool is_warning = false;
  std::string reason = {};
  std::string action = {};
  std::string note = {};
  std::string cluster = {};  // the related ManagedCluster; empty: none
  std::map<std::string, std::string> annotations = {};
  bool operator==(const RolloutEvent&) const = default;
};

RolloutEvent created_event(std::string_view rollout);
// `status` has the plan.
RolloutEvent started_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
RolloutEvent succeeded_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
RolloutEvent timed_out_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
// About status.currentBatch.
RolloutEvent batch_started_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
RolloutEvent batch_completed_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
RolloutEvent batch_timed_out_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
RolloutEvent cluster_started_event(std::string_view rollout, std::string_view cluster);
RolloutEvent cluster_completed_event(std::string_view rollout, std::string_view cluster);
// A policy that it waited for is no longer bound to it: it counts as done, and somebody should know.
RolloutEvent cluster_unbound_event(std::string_view rollout, std::string_view cluster);
RolloutEvent cluster_skipped_event(std::string_view rollout, std::string_view cluster,
                                   std::string_view reason);
// It stands still, and why.
RolloutEvent paused_event(std::string_view rollout, std::string_view cause);
// Too many clusters failed.
RolloutEvent failed_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status);
// `kind`: "missing clusters", "invalid policies", …
RolloutEvent validation_event(std::string_view rollout, std::string_view kind,
                              const std::vector<std::string>& culprits);

}  // namespace fairway::fleet
