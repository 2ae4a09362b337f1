// Upgrades of operators that wait for consent: which InstallPlans a rollout approves on its clusters. Pure.
//
// On a cluster that is on its way, each Subscription of the policy that it is at is looked at (a
// ManagedClusterView). If its upgrade is pending, so is the InstallPlan that it names; and if that one waits
// to be approved by hand, the cluster is told to approve it (a ManagedClusterAction), in the version that was
// seen and no other. What cannot be told is never approved. What nobody needs any more is removed; nothing is
// remembered but the views and actions themselves.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/types.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

struct PolicySubscription {
  std::string name = {};
  std::string namespace_ = {};
  auto operator<=>(const PolicySubscription&) const = default;
};
// Those of operators, each once, of an entry of status.managedPoliciesContent.
std::vector<PolicySubscription> subscriptions_in(std::string_view content);

// Clusters that policies are enforced on, late ones included, with the policy that each is at. None while the
// rollout is not under way, or is frozen.
std::map<std::string, std::string> policies_under_way(const ClusterGroupUpgrade& rollout, WallTime now);

// The plan that waits because of this Subscription; empty without one, or where it cannot be told which.
std::string pending_plan(const json::Object& subscription);
// Whether the plan is that Subscription's, and waits for nothing but consent by hand.
bool awaits_consent(const json::Object& plan, const json::Object& subscription);

struct ApprovalStep {
  std::vector<json::Object> create = {};
  std::vector<std::shared_ptr<const json::Object>> remove = {};
};
// `seen` are the rollout's views and actions on all clusters; those of its jobs (cluster_jobs.hpp) are left
// alone.
ApprovalStep approve_plans(const ClusterGroupUpgrade& rollout,
                           const std::vector<std::shared_ptr<const json::Object>>& seen, WallTime now);

}  // namespace fairway::fleet
