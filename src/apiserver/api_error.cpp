#include "apiserver/api_error.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

ApiError::Details details_of(const Resource& resource, std::string_view name) {
  ApiError::Details details;
  details.name = std::string(name);
  details.group = resource.group;
  details.kind = resource.plural;
  return details;
}

json::Object details_object(const ApiError::Details& details) {
  json::Object object;
  if (!details.name.empty()) object["name"] = details.name;
  if (!details.group.empty()) object["group"] = details.group;
  if (!details.kind.empty()) object["kind"] = details.kind;
  if (!details.uid.empty()) object["uid"] = details.uid;
  if (!details.causes.empty()) {
    json::Array causes;
    for (const ApiError::Cause& cause : details.causes) {
      json::Object entry;
      if (!cause.reason.empty()) entry["reason"] = cause.reason;
      if (!cause.message.empty()) entry["message"] = cause.message;
      if (!cause.field.empty()) entry["field"] = cause.field;
      causes.push_back(std::move(entry));
    }
    object["causes"] = std::move(causes);
  }
  if (details.retry_after_seconds > 0) object["retryAfterSeconds"] = details.retry_after_seconds;
  return object;
}

json::Object status_object(std::string_view status) {
  return json::Object{
      {"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::Object{}}, {"status", status}};
}

}  // namespace

json::Object ApiError::to_status() const {
  json::Object status = status_object("Failure");
  if (!continue_token.empty()) status["metadata"].get_object()["continue"] = continue_token;
  status["message"] = message;
  if (!reason.empty()) status["reason"] = reason;
  if (details) status["details"] = details_object(*details);
  status["code"] = code;
  return status;
}

http::Response ApiError::to_response() const {
  http::Response response = json_response(code, to_status());
  if (details && details->retry_after_seconds > 0) {
    response.headers.set("Retry-After", fmt::to_string(details->retry_after_seconds));
  }
  if (code == 401) response.headers.set("WWW-Authenticate", "Bearer realm=\"kubernetes\"");
  return response;
}

ApiError not_found(const Resource& resource, std::string_view name) {
  return {404,
          "NotFound",
          fmt::format("{} \"{}\" not found", resource.group_resource(), name),
          details_of(resource, name),
          {}};
}

ApiError already_exists(const Resource& resource, std::string_view name) {
  return {409,
          "AlreadyExists",
          fmt::format("{} \"{}\" already exists", resource.group_resource(), name),
          details_of(resource, name),
          {}};
}

ApiError conflict(const Resource& resource, std::string_view name, std::string_view why) {
  return {409,
          "Conflict",
          fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", resource.group_resource(), name, why),
          details_of(resource, name),
          {}};
}

ApiError stale_object(const Resource& resource, std::string_view name) {
  return conflict(
      resource, name,
      "the object has been modified; please apply your changes to the latest version and try again");
}

ApiError invalid(const Resource& resource, std::string_view name, const json::FieldErrors& errors) {
  ApiError::Details details = details_of(resource, name);
  details.kind = resource.kind;
  for (const json::FieldError& error : errors) {
    details.causes.push_back({std::string(error.reason()), error.body(), error.field});
  }
  const std::string kind =
      resource.group.empty() ? resource.kind : fmt::format("{}.{}", resource.kind, resource.group);
  return {422,
          "Invalid",
          fmt::format("{} \"{}\" is invalid: {}", kind, name, json::describe(errors)),
          std::move(details),
          {}};
}

ApiError forbidden(const Resource& resource, std::string_view name, std::string_view why) {
  return {403,
          "Forbidden",
          fmt::format("{}{} is forbidden: {}", resource.group_resource(),
                      name.empty() ? std::string() : fmt::format(" \"{}\"", name), why),
          details_of(resource, name),
          {}};
}

ApiError invalid_options(std::string_view kind, const json::FieldError& error) {
  ApiError::Details details;
  details.group = "meta.k8s.io";
  details.kind = std::string(kind);
  details.causes.push_back({std::string(error.reason()), error.body(), error.field});
  return {422,
          "Invalid",
          fmt::format("{}.meta.k8s.io \"\" is invalid: {}", kind, error.text()),
          std::move(details),
          {}};
}

ApiError bad_request(std::string message) {
  return {400, "BadRequest", std::move(message), {}, {}};
}
ApiError unauthorized() {
  return {401, "Unauthorized", "Unauthorized", {}, {}};
}

ApiError path_not_found() {
  return {404, "NotFound", "the server could not find the requested resource", ApiError::Details{}, {}};
}

ApiError method_not_allowed(std::string_view method) {
  return {405,
          "MethodNotAllowed",
          fmt::format("the server does not allow this method on the requested resource ({})", method),
          ApiError::Details{},
          {}};
}

ApiError not_acceptable(std::string_view offered) {
  return {
      406, "NotAcceptable", fmt::format("only the following media types are accepted: {}", offered), {}, {}};
}

ApiError unsupported_media_type(std::string_view found, std::string_view offered) {
  return {
      415,
      "UnsupportedMediaType",
      fmt::format(
          "the body of the request was in an unknown format - accepted media types include: {} (found {})",
          offered, quoted(found)),
      {},
      {}};
}

ApiError expired(std::string message) {
  return {410, "Expired", std::move(message), {}, {}};
}

ApiError too_large_resource_version(std::string_view asked, std::string_view current) {
  ApiError::Details details;
  details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  details.retry_after_seconds = 1;
  return {504,
          "Timeout",
          fmt::format("Too large resource version: {}, current: {}", asked, current),
          std::move(details),
          {}};
}

ApiError too_many_requests(std::string message, int retry_after_seconds) {
  ApiError::Details details;
  details.retry_after_seconds = retry_after_seconds;
  return {429, "TooManyRequests", std::move(message), std::move(details), {}};
}

ApiError internal_error(std::string_view message) {
  return {500, "InternalError", fmt::format("Internal error occurred: {}", message), {}, {}};
}

ApiError request_too_large(std::string message) {
  return {413, "RequestEntityTooLarge", std::move(message), {}, {}};
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
      return expired(error.describe());
    case ErrorCode::Invalid:
      return bad_request(error.describe());
    case ErrorCode::Forbidden:
      return forbidden(resource, name, error.describe());
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout: {
      ApiError::Details details;
      details.retry_after_seconds = 1;
      return {503, "ServiceUnavailable", error.describe(), std::move(details), {}};
    }
    case ErrorCode::Cancelled:
    case ErrorCode::Unsupported:
    case ErrorCode::Internal:
      return internal_error(error.describe());
  }
  FAIRWAY_CHECK(false, "an ErrorCode outside its enumeration");
}

json::Object success_status(const Resource& resource, std::string_view name, std::string_view uid) {
  json::Object status = status_object("Success");
  ApiError::Details details = details_of(resource, name);
  details.uid = std::string(uid);
  status["details"] = details_object(details);
  return status;
}

http::Response json_response(int status, const json::Object& body) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}},
          json::serialize(body) + "\n"};
}

}  // namespace fairway::apiserver
