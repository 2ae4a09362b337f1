#include "apiserver/api_error.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using kube::status_failure;

kube::GroupResource group_resource(const Resource& resource) {
  return {resource.group, resource.plural};
}

// Kubernetes says an empty `details` where it knows none but has looked.
ApiError with_empty_details(ApiError error) {
  error.details.emplace();
  return error;
}

}  // namespace

http::Response response_of(const ApiError& error) {
  http::Response response = json_response(error.code, error.to_object());
  if (error.details && error.details->retry_after_seconds > 0) {
    response.headers.set("Retry-After", fmt::to_string(error.details->retry_after_seconds));
  }
  if (error.code == 401) response.headers.set("WWW-Authenticate", "Bearer realm=\"kubernetes\"");
  return response;
}

http::Response json_response(int status, const json::Object& body) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}},
          json::serialize(body) + "\n"};
}

ApiError not_found(const Resource& resource, std::string_view name) {
  return kube::status_not_found(group_resource(resource), name);
}

ApiError already_exists(const Resource& resource, std::string_view name) {
  return kube::status_already_exists(group_resource(resource), name);
}

ApiError conflict(const Resource& resource, std::string_view name, std::string_view why) {
  return kube::status_conflict(group_resource(resource), name, why);
}

ApiError stale_object(const Resource& resource, std::string_view name) {
  return kube::status_modified(group_resource(resource), name);
}

ApiError invalid(const Resource& resource, std::string_view name, const json::FieldErrors& errors) {
  return kube::status_invalid({resource.group, resource.kind}, name, errors);
}

ApiError forbidden(const Resource& resource, std::string_view name, std::string_view why) {
  return kube::status_forbidden(group_resource(resource), name, why);
}

ApiError invalid_options(std::string_view kind, const json::FieldError& error) {
  return kube::status_invalid({"meta.k8s.io", std::string(kind)}, "", {error});
}

ApiError bad_request(std::string message) {
  return kube::status_bad_request(std::move(message));
}

ApiError path_not_found() {
  return with_empty_details(
      status_failure(404, "NotFound", "the server could not find the requested resource"));
}

ApiError method_not_allowed(std::string_view method) {
  return with_empty_details(status_failure(
      405, "MethodNotAllowed",
      fmt::format("the server does not allow this method on the requested resource ({})", method)));
}

ApiError not_acceptable(std::string_view offered) {
  return kube::status_not_acceptable(fmt::format("only the following media types are accepted: {}", offered));
}

ApiError unsupported_media_type(std::string_view found, std::string_view offered) {
  return kube::status_unsupported_media_type(fmt::format(
      "the body of the request was in an unknown format - accepted media types include: {} (found {})",
      offered, quoted(found)));
}

ApiError too_large_resource_version(std::string_view asked, std::string_view current) {
  ApiError error = kube::status_timeout(
      fmt::format("Too large resource version: {}, current: {}", asked, current), std::chrono::seconds(1));
  error.details->causes.push_back({"ResourceVersionTooLarge", "Too large resource version"});
  return error;
}

ApiError from_error(const Error& error, const Resource& resource, std::string_view name) {
  switch (error.code) {
    case ErrorCode::NotFound:
      return not_found(resource, name);
    case ErrorCode::AlreadyExists:
      return already_exists(resource, name);
    case ErrorCode::Conflict:
      return stale_object(resource, name);
    case ErrorCode::Gone:
      return kube::status_expired(error.describe());
    case ErrorCode::Invalid:
      return bad_request(error.describe());
    case ErrorCode::Forbidden:
      return forbidden(resource, name, error.describe());
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout: {
      ApiError unavailable = kube::status_unavailable(error.describe());
      unavailable.details.emplace().retry_after_seconds = 1;
      return unavailable;
    }
    case ErrorCode::Cancelled:
    case ErrorCode::Unsupported:
    case ErrorCode::Internal:
      return kube::status_internal(error.describe());
  }
  FAIRWAY_CHECK(false, "an ErrorCode outside its enumeration");
}

json::Object success_status(const Resource& resource, std::string_view name, std::string_view uid) {
  kube::Status status;
  status.status = "Success";
  status.details = {
      .name = std::string(name), .group = resource.group, .kind = resource.plural, .uid = std::string(uid)};
  return status.to_object();
}

}  // namespace fairway::apiserver
