// Conditions of the Service that publishes a controller. For conditions.cpp.
#pragma once

#include <optional>
#include <string>

#include "ingress/judgement.hpp"
#include "ingress/observed.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::ingress {

kube::Conditions service_conditions(const Observed& seen, const std::optional<LoadBalancerStrategy>& wanted,
                                    const ServiceJudgement& service);
// Of a change that the cloud makes without anybody's help.
std::string in_place_text(const Observed& seen, const LoadBalancerStrategy& wanted,
                          const ServiceJudgement& service);

}  // namespace fairway::ingress
