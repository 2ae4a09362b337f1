#include "apiserver/audit.hpp"

#include <algorithm>
#include <array>

#include "apiserver/reviews.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;

constexpr std::array<std::string_view, 4> kQuietPaths{"/livez", "/readyz", "/healthz", "/version"};
constexpr std::size_t kMaxUserAgent = 1024;
constexpr std::size_t kMaxId = 64;

Object object_reference(const RequestInfo& info, const AuditOutcome& outcome) {
  Object reference{{"resource", info.resource}};
  const auto put = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) reference[key] = value;
  };
  put("namespace", info.ns);
  put("name", info.name.empty() ? outcome.object_name : info.name);
  put("apiGroup", info.group);
  put("apiVersion", info.version);
  put("subresource", info.subresource);
  return reference;
}

Object response_status(const AuditOutcome& outcome) {
  Object status{{"metadata", Object{}}};
  if (!outcome.status.empty()) status["status"] = outcome.status;
  if (!outcome.message.empty()) status["message"] = outcome.message;
  if (!outcome.reason.empty()) status["reason"] = outcome.reason;
  status["code"] = outcome.code;
  return status;
}

json::Array texts(const std::vector<std::string>& from) {
  json::Array array;
  for (const std::string& text : from) array.emplace_back(text);
  return array;
}

}  // namespace

std::string_view to_string(AuditStage stage) {
  switch (stage) {
    case AuditStage::ResponseStarted:
      return "ResponseStarted";
    case AuditStage::ResponseComplete:
      return "ResponseComplete";
    case AuditStage::Panic:
      return "Panic";
  }
  FAIRWAY_CHECK(false, "an AuditStage outside its enumeration");
}

AuditedRequest AuditedRequest::of(const http::Request& request, RequestInfo info, WallTime received,
                                  std::string new_id) {
  AuditedRequest audited;
  const auto given = request.headers.find("Audit-ID").value_or("");
  audited.id = given.empty() || given.size() > kMaxId ? std::move(new_id) : std::string(given);
  audited.uri = request.target;
  audited.info = std::move(info);
  audited.received = received;
  audited.user_agent = std::string(request.headers.find("User-Agent").value_or("").substr(0, kMaxUserAgent));
  for (const std::string_view part : split(request.headers.joined("X-Forwarded-For"), ',')) {
    if (!trim(part).empty()) audited.source_ips.emplace_back(trim(part));
  }
  // Proxies are believed no further than this: the last address is the one that really called.
  audited.source_ips.push_back(request.peer.address);
  return audited;
}

bool is_audited(const RequestInfo& info) {
  return info.is_resource || std::ranges::none_of(kQuietPaths, [&](std::string_view path) {
           return info.path == path || (info.path.starts_with(path) && info.path[path.size()] == '/');
         });
}

Object audit_event(const AuditedRequest& request, AuditStage stage, WallTime at,
                   const AuditOutcome& outcome) {
  const bool is_impersonated = request.caller.impersonator.has_value();
  Object event{{"kind", "Event"},
               {"apiVersion", "audit.k8s.io/v1"},
               {"level", "Metadata"},
               {"auditID", request.id},
               {"stage", to_string(stage)},
               {"requestURI", request.uri},
               {"verb", request.info.verb},
               {"user", user_info(is_impersonated ? *request.caller.impersonator : request.caller.user)}};
  if (is_impersonated) event["impersonatedUser"] = user_info(request.caller.user);
  event["sourceIPs"] = texts(request.source_ips);
  if (!request.user_agent.empty()) event["userAgent"] = request.user_agent;
  if (request.info.is_resource) event["objectRef"] = object_reference(request.info, outcome);
  event["responseStatus"] = response_status(outcome);
  event["requestReceivedTimestamp"] = format_rfc3339_micro(request.received);
  event["stageTimestamp"] = format_rfc3339_micro(at);
  Object annotations{{"fairway.io/cluster", request.info.cluster}};
  if (request.decision) {
    annotations["authorization.k8s.io/decision"] = request.decision->allowed ? "allow" : "forbid";
    annotations["authorization.k8s.io/reason"] = request.decision->reason;
  }
  event["annotations"] = std::move(annotations);
  return event;
}

}  // namespace fairway::apiserver
