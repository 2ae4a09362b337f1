#include "apiserver/authorization.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/schema_errors.hpp"

namespace fairway::apiserver {
namespace {

// Questions about oneself have no namespace, and tell nothing about others.
bool is_about_oneself(const AccessRequest& request) {
  return request.verb == "create" && request.resource.starts_with("selfsubject") &&
         (request.group == "authorization.k8s.io" || request.group == "authentication.k8s.io");
}

}  // namespace

AccessRequest access_request(const RequestInfo& info) {
  if (!info.is_resource) return {.verb = info.verb, .path = info.path};
  return {.verb = info.verb,
          .group = info.group,
          .resource = info.resource,
          .subresource = info.subresource,
          .ns = info.ns,
          .name = info.name.empty() ? info.selected_name : info.name};
}

void Authorizer::apply(const std::string& cluster, RbacKind kind, const kube::ObjectKey& key,
                       const json::Object* object) {
  clusters_[cluster].apply(kind, key, object);
}

void Authorizer::forget(const std::string& cluster) {
  clusters_.erase(cluster);
}

const RbacState& Authorizer::state(const std::string& cluster) const {
  static const RbacState kNothing;
  const auto found = clusters_.find(cluster);
  return found == clusters_.end() ? kNothing : found->second;
}

AccessDecision Authorizer::authorize(const std::string& cluster, const Caller& caller,
                                     const AccessRequest& request) const {
  if (std::string problem = reach_problem(caller.reach, cluster, request); !problem.empty()) {
    return {.allowed = false, .reason = std::move(problem)};
  }
  return apiserver::authorize(state(cluster), caller.user, request);
}

std::string reach_problem(const Reach& reach, std::string_view cluster, const AccessRequest& request) {
  if (!reach.clusters.empty() && std::ranges::find(reach.clusters, cluster) == reach.clusters.end()) {
    return fmt::format("the credential is not valid for the cluster {}", quoted(cluster));
  }
  if (reach.hub_namespace.empty() || cluster != kHubCluster || !request.is_resource_request()) return {};
  if (request.ns == reach.hub_namespace || is_about_oneself(request)) return {};
  return fmt::format("on the hub the credential is valid for the namespace {} only",
                     quoted(reach.hub_namespace));
}

ApiError access_denied(const User& user, const AccessRequest& request, std::string_view reason) {
  std::string why = describe_denial(user, request);
  if (!reason.empty()) why += fmt::format(": {}", reason);
  return kube::status_forbidden({request.group, request.resource}, request.name, why);
}

}  // namespace fairway::apiserver
