#include "apiserver/front.hpp"

#include <fmt/format.h>

#include "apiserver/body.hpp"
#include "apiserver/rbac_escalation.hpp"
#include "apiserver/reviews.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

// Watches are bounded by connections and memory, not by a count: a fleet has thousands.
bool counts_as_in_flight(const RequestInfo& info) {
  return info.verb != "watch";
}

bool is_review(const Resource& resource) {
  return !resource.is_stored();
}

}  // namespace

struct Front::Visit {
  const http::Request& request;
  WallTime received;
  SteadyTime began;
  RequestInfo info = {};
  Caller caller = {};
  std::optional<AccessDecision> decision = {};
  std::string audit_id = {};
  bool is_known = false;  // the path could be read
};

Front::Front(FrontParts parts, std::size_t max_in_flight)
    : parts_(parts),
      max_in_flight_(max_in_flight),
      requests_(parts.metrics.counter("apiserver_request_total",
                                      "Requests by verb, group, resource and answer.",
                                      {"verb", "group", "resource", "code"})),
      durations_(parts.metrics.histogram(
          "apiserver_request_duration_seconds", "Time from a request's arrival to the end of its answer.",
          {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}, {"verb"})) {}

Task<void> Front::serve(const http::Request& request, http::ResponseWriter& writer) {
  Visit visit{request, parts_.clock.now(), parts_.clock.steady()};
  visit.audit_id = random_uid();
  auto info = RequestInfo::parse(request.method, request.target);
  if (!info) co_return co_await writer.send(response_of(info.error()));
  visit.info = *std::move(info);
  visit.is_known = true;
  const bool is_counted = counts_as_in_flight(visit.info);
  if (is_counted && in_flight_ >= max_in_flight_) {
    auto sent = co_await writer.send(response_of(kube::status_too_many_requests(
        "Too many requests, please try again later.", std::chrono::seconds(1))));
    record(visit, writer);
    co_return sent;
  }
  in_flight_ += is_counted ? 1 : 0;
  auto served = co_await dispatch(visit, writer);
  in_flight_ -= is_counted ? 1 : 0;
  record(visit, writer);
  co_return served;
}

Task<void> Front::dispatch(Visit& visit, http::ResponseWriter& writer) {
  LogicalCluster* cluster = parts_.clusters.find(visit.info.cluster);
  // Whoever is not known must not learn which clusters there are.
  const std::string authority = cluster ? visit.info.cluster : std::string(kHubCluster);
  auto caller = parts_.access.admit(visit.request, authority);
  if (!caller) co_return co_await writer.send(response_of(caller.error()));
  visit.caller = *std::move(caller);
  const AccessRequest wanted = access_request(visit.info);
  visit.decision = parts_.access.decide(authority, visit.caller, wanted);
  if (!visit.decision->allowed) {
    co_return co_await writer.send(
        response_of(access_denied(visit.caller.user, wanted, visit.decision->reason)));
  }
  if (cluster == nullptr) {
    co_return co_await writer.send(response_of(kube::status_failure(
        404, "NotFound", fmt::format("there is no logical cluster {}", quoted(visit.info.cluster)))));
  }
  if (visit.info.is_resource) co_return co_await serve_resource(visit, *cluster, writer);
  co_return co_await parts_.endpoints.serve(visit.request, visit.info, cluster->catalog, writer);
}

Task<void> Front::serve_resource(Visit& visit, const LogicalCluster& cluster, http::ResponseWriter& writer) {
  const auto catalog = cluster.catalog;
  const Resource* resource = catalog->find(visit.info.group, visit.info.resource);
  const ServedVersion* version = resource ? resource->version(visit.info.version) : nullptr;
  const bool is_token = resource && resource->has_token && visit.info.subresource == "token";
  if (version != nullptr && (is_review(*resource) || is_token)) {
    auto answer = is_token ? co_await answer_token_request(visit, *resource)
                           : co_await answer_review(visit, *resource, *version);
    co_return co_await writer.send(answer ? *std::move(answer) : response_of(answer.error()));
  }
  if (version == nullptr) co_return co_await writer.send(response_of(path_not_found()));
  RestRequest rest{visit.request, visit.info, catalog, *resource, *version};
  if (resource->is_custom) {
    const auto found = cluster.schema_since.find(resource->stored_as);
    if (found != cluster.schema_since.end()) rest.schema_since = found->second;
  }
  if (rbac_kind(resource->group, resource->plural)) {
    rest.admission = [this, &visit, resource](const json::Object* before, const json::Object& object) {
      return check_escalation(parts_.access.rbac(visit.info.cluster), visit.caller.user, *resource, before,
                              object);
    };
  }
  co_return co_await parts_.rest.serve(std::move(rest), writer);
}

ApiTask<http::Response> Front::answer_review(const Visit& visit, const Resource& resource,
                                             const ServedVersion& version) {
  if (visit.info.verb != "create") co_return refuse(method_not_allowed(visit.request.method));
  auto review = read_object(visit.request, resource, version);
  if (!review) co_return refuse(std::move(review.error()));
  const std::string& cluster = visit.info.cluster;
  const Decide decide = [&](const User& user, const AccessRequest& wanted) {
    const bool is_asker = user == visit.caller.user;
    return parts_.access.decide(cluster, is_asker ? visit.caller : Caller{.user = user}, wanted);
  };
  const auto answered = [&]() -> ApiResult<json::Object> {
    if (resource.kind == "SelfSubjectAccessReview") {
      return answer_self_access_review(resource, *std::move(review), visit.caller.user, decide);
    }
    if (resource.kind == "SubjectAccessReview")
      return answer_access_review(resource, *std::move(review), decide);
    if (resource.kind == "LocalSubjectAccessReview") {
      return answer_local_access_review(resource, *std::move(review), visit.info.ns, decide);
    }
    if (resource.kind == "SelfSubjectRulesReview") {
      return answer_self_rules_review(*std::move(review), visit.caller.user, parts_.access.rbac(cluster));
    }
    if (resource.kind == "SelfSubjectReview")
      return answer_self_review(*std::move(review), visit.caller.user);
    return refuse(method_not_allowed(visit.request.method));
  }();
  if (!answered) co_return refuse(answered.error());
  co_return json_response(201, *answered);
}

ApiTask<http::Response> Front::answer_token_request(const Visit& visit, const Resource& resource) {
  if (visit.info.verb != "create") co_return refuse(method_not_allowed(visit.request.method));
  auto body = read_options(visit.request);
  if (!body) co_return refuse(std::move(body.error()));
  auto issued = co_await parts_.access.issue({visit.info.cluster, &resource, visit.info.ns, visit.info.name},
                                             *std::move(body));
  if (!issued) co_return refuse(std::move(issued.error()));
  co_return json_response(201, *issued);
}

void Front::record(const Visit& visit, const http::ResponseWriter& writer) {
  requests_
      .with({visit.info.verb, visit.info.group, visit.info.is_resource ? visit.info.resource : "",
             fmt::to_string(writer.status())})
      .add();
  if (visit.info.verb != "watch") {
    const double seconds = std::chrono::duration<double>(parts_.clock.steady() - visit.began).count();
    durations_.with({visit.info.verb}).observe(seconds);
  }
  if (parts_.audit == nullptr || !is_audited(visit.info)) return;
  auto audited = AuditedRequest::of(visit.request, visit.info, visit.received, visit.audit_id);
  audited.caller = visit.caller;
  audited.decision = visit.decision;
  parts_.audit->write(
      audit_event(audited, AuditStage::ResponseComplete, parts_.clock.now(), {.code = writer.status()}));
}

}  // namespace fairway::apiserver
