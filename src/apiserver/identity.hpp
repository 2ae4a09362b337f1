// Who asks: the user that a request was authenticated as.
#pragma once

#include <string>
#include <vector>

namespace fairway::apiserver {

struct User {
  std::string name = "system:anonymous";
  std::string uid = {};
  std::vector<std::string> groups = {"system:unauthenticated"};

  bool is_anonymous() const { return name == "system:anonymous"; }
  bool operator==(const User&) const = default;
};

// What is asked for, in the terms of RBAC.
struct AccessRequest {
  std::string verb;        // get, list, watch, create, update, patch, delete, deletecollection, …
  std::string group;
  std::string resource;
  std::string subresource;
  std::string ns;          // empty: cluster-wide
  std::string name;        // empty: any
  std::string path;        // of a request that is not about resources; then all above but the verb are empty

  bool is_resource_request() const { return path.empty(); }
};

struct AccessDecision {
  bool allowed = false;
  std::string reason;      // why, for SubjectAccessReview and the audit log
};

}  // namespace fairway::apiserver
