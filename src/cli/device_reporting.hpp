// Telling a hub how a device is; see `fairway device report`.
#pragma once

#include <string>

#include "cli/cluster_options.hpp"
#include "device/place.hpp"
#include "kube/client/api.hpp"

namespace fairway::cli {

inline const kube::ResourceType kDevices{
    .kind = {"device.fairway.dev", "v1alpha1", "Device"}, .resource = "devices", .is_namespaced = false};

Result<void> report_device(const device::Place& place, const std::string& name, const ClusterSettings& hub);

}  // namespace fairway::cli
