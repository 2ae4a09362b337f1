// Who asks, and what for.
//
// A User is what a request was authenticated as. A Caller is a user together with what its credential is good
// for and, when it acts as somebody else, who it really is. Plain values, made once for each request.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::apiserver {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";

struct User {
  std::string name = std::string(kAnonymousUser);
  std::string uid = {};
  std::vector<std::string> groups = {std::string(kUnauthenticatedGroup)};
  std::map<std::string, std::vector<std::string>> extra = {};

  bool is_anonymous() const { return name == kAnonymousUser; }
  bool is_in(std::string_view group) const { return std::ranges::find(groups, group) != groups.end(); }
  bool operator==(const User&) const = default;
};

// Where a credential may be used, whatever its user is allowed to do there.
struct Reach {
  std::vector<std::string> clusters = {};  // empty: all
  std::string hub_namespace = {};          // on the hub, only in this namespace; empty: everywhere

  bool operator==(const Reach&) const = default;
};

struct Caller {
  User user = {};
  Reach reach = {};
  std::optional<User> impersonator = std::nullopt;  // who really asks, when `user` is somebody else

  bool operator==(const Caller&) const = default;
};

// What is asked for, in the terms of RBAC.
struct AccessRequest {
  std::string verb;  // get, list, watch, create, update, patch, delete, deletecollection, …
  std::string group = {};
  std::string resource = {};
  std::string subresource = {};
  std::string ns = {};    // empty: cluster-wide
  std::string name = {};  // empty: any
  std::string path = {};  // of a request that is not about resources; then all above but the verb are empty

  bool is_resource_request() const { return path.empty(); }
};

struct AccessDecision {
  bool allowed = false;
  std::string reason = {};  // why, for SubjectAccessReview and the audit log
};

}  // namespace fairway::apiserver
