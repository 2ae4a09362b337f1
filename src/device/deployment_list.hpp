// DeploymentList: reads which systems the device can boot. Only reads.
#pragma once

#include "device/deployment_facts.hpp"
#include "device/place.hpp"

namespace fairway::device {

// Whether the device has deployments at all: an ostree system was booted, or the settings name a folder of
// them.
bool has_deployments(const Place& place);
// Never fails as a whole: what could not be read is said in `problem`.
Deployments read_deployments(const Place& place);

}  // namespace fairway::device
