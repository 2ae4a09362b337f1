// The conditions of a controller, from what was seen and judged. Pure.
//
// A change of scope that waits for the administrator is told by Progressing and touches neither Available nor
// Degraded: nothing is wrong, somebody has to agree. What is wrong counts as degraded after a time of grace
// since the condition last changed; `wake_at` of the result is when the next one is over.
#pragma once

#include <optional>
#include <string>

#include "ingress/judgement.hpp"
#include "ingress/observed.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::ingress {

struct JudgedConditions {
  kube::Conditions conditions;  // all of the object, ours set and those that no longer hold taken back
  std::optional<WallTime> wake_at = {};
  std::string wake_reason = {};
};

// `wanted`: the load balancer that is to be provided, if any; `strategy`: what the status will say.
JudgedConditions judge_conditions(const Observed& seen, const PublishingStrategy& strategy,
                                  const std::optional<LoadBalancerStrategy>& wanted,
                                  const ServiceJudgement& service);

// Of the router's Deployment alone.
kube::Conditions deployment_conditions(const json::Object* deployment);
// Of the wildcard record, which is to point to `address`.
kube::Conditions dns_conditions(const Observed& seen, const PublishingStrategy& strategy,
                                const std::string& address);

}  // namespace fairway::ingress
