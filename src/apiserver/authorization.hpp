// Authorization: from a request to yes or no, for all logical clusters.
//
// The Authorizer keeps one RbacState for each cluster, fed by whoever follows the store, and adds what RBAC
// does not know: a credential may be good for some clusters only and, on the hub, for one namespace. It lives
// on the event loop of the API server, without locks. Refusals are those of kube-apiserver.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apiserver/api_error.hpp"
#include "apiserver/identity.hpp"
#include "apiserver/rbac.hpp"
#include "apiserver/request_info.hpp"
#include "kube/core/gvk.hpp"

namespace fairway::apiserver {

AccessRequest access_request(const RequestInfo& info);

class Authorizer {
 public:
  void apply(const std::string& cluster, RbacKind kind, const kube::ObjectKey& key,
             const json::Object* object);
  // The cluster is gone, and with it all that was granted there.
  void forget(const std::string& cluster);
  // Of a cluster without roles and bindings nothing is known, and nothing is allowed.
  const RbacState& state(const std::string& cluster) const;

  AccessDecision authorize(const std::string& cluster, const Caller& caller,
                           const AccessRequest& request) const;

 private:
  std::map<std::string, RbacState> clusters_;
};

// Why the credential is not good for this request; empty when it is.
std::string reach_problem(const Reach& reach, std::string_view cluster, const AccessRequest& request);

// 403: pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"
ApiError access_denied(const User& user, const AccessRequest& request, std::string_view reason);

}  // namespace fairway::apiserver
