// The kinds of the Kubernetes API that the cloud works with.
#pragma once

#include "kube/core/resource_type.hpp"

namespace fairway::cloud {

inline const kube::ResourceType kDeployments{.kind = {"apps", "v1", "Deployment"}, .resource = "deployments"};
inline const kube::ResourceType kPods{.kind = {"", "v1", "Pod"}, .resource = "pods"};
inline const kube::ResourceType kServices{.kind = {"", "v1", "Service"}, .resource = "services"};

}  // namespace fairway::cloud
