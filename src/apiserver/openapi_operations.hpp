// The operations that a resource has, once for both versions of OpenAPI. Internal to the openapi files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.hpp"

namespace fairway::apiserver {

struct OperationKind {
  std::string group;
  std::string version;
  std::string kind;
};

struct Operation {
  std::string method;  // get, put, post, delete, patch
  std::string path;    // /apis/apps/v1/namespaces/{namespace}/deployments/{name}
  std::string action;  // list, get, post, put, patch, delete, deletecollection
  std::string id;      // replaceAppsV1NamespacedDeploymentScale
  std::string description;
  std::string tag;  // apps_v1
  OperationKind kind;
  std::string body;      // the definition that is read; empty: none
  std::string response;  // the definition that is written
  bool is_custom = false;
};

struct QueryParameter {
  std::string_view name;
  std::string_view type;
  std::string_view description;
};

std::vector<Operation> operations_of(const Resource& resource, const ServedVersion& version);
std::span<const QueryParameter> query_parameters(std::string_view action);
// The media types that a patch may have.
std::vector<std::string_view> patch_types(bool is_custom);

// io.k8s.api.core.v1.Pod; io.openshift.ran.v1alpha1.ClusterGroupUpgrade for ran.openshift.io.
std::string definition_name(const Resource& resource, const ServedVersion& version);
std::string list_definition_name(const Resource& resource, const ServedVersion& version);

inline constexpr std::string_view kMetaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";

}  // namespace fairway::apiserver
