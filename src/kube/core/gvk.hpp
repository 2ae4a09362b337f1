// Groups, versions, kinds and resources: how the Kubernetes API names types.
//
// Plain values with an order. "apiVersion" is GROUP/VERSION, or VERSION alone for the core group, whose name
// is the empty text. A kind is what an object says of itself (Deployment), a resource is where it is found in
// URLs (deployments).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::kube {

struct GroupVersion {
  std::string group;
  std::string version;

  static Result<GroupVersion> parse(std::string_view api_version);
  std::string to_string() const;  // apps/v1, v1
  auto operator<=>(const GroupVersion&) const = default;
};

struct GroupKind {
  std::string group;
  std::string kind;

  std::string to_string() const;  // Deployment.apps, Pod
  auto operator<=>(const GroupKind&) const = default;
};

struct GroupResource {
  std::string group;
  std::string resource;

  bool is_empty() const { return group.empty() && resource.empty(); }
  std::string to_string() const;  // deployments.apps, pods
  auto operator<=>(const GroupResource&) const = default;
};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  static Result<GroupVersionKind> parse(std::string_view api_version, std::string_view kind);
  GroupVersion group_version() const { return {group, version}; }
  GroupKind group_kind() const { return {group, kind}; }
  std::string api_version() const { return group_version().to_string(); }
  std::string to_string() const;  // apps/v1, Kind=Deployment
  auto operator<=>(const GroupVersionKind&) const = default;
};

struct GroupVersionResource {
  std::string group;
  std::string version;
  std::string resource;

  GroupVersion group_version() const { return {group, version}; }
  GroupResource group_resource() const { return {group, resource}; }
  std::string to_string() const;  // apps/v1, Resource=deployments
  auto operator<=>(const GroupVersionResource&) const = default;
};

// The order in which versions of a group are preferred: v2, v1, v1beta2, v1beta1, v1alpha1, then all else by
// name. Less means preferred.
std::strong_ordering compare_version_preference(std::string_view left, std::string_view right);

}  // namespace fairway::kube
