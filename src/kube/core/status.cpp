#include "kube/core/status.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::kube {
namespace {

using json::go_quoted;

struct ReasonCode {
  std::string_view reason;
  ErrorCode code;
};

// metav1.StatusReason. ServerTimeout comes with 500 but asks for another try, like the other timeouts.
constexpr std::array<ReasonCode, 19> kReasons{{{"NotFound", ErrorCode::NotFound},
                                               {"AlreadyExists", ErrorCode::AlreadyExists},
                                               {"Conflict", ErrorCode::Conflict},
                                               {"Gone", ErrorCode::Gone},
                                               {"Expired", ErrorCode::Gone},
                                               {"Invalid", ErrorCode::Invalid},
                                               {"BadRequest", ErrorCode::Invalid},
                                               {"RequestEntityTooLarge", ErrorCode::Invalid},
                                               {"Unauthorized", ErrorCode::Forbidden},
                                               {"Forbidden", ErrorCode::Forbidden},
                                               {"TooManyRequests", ErrorCode::Unavailable},
                                               {"ServiceUnavailable", ErrorCode::Unavailable},
                                               {"ServerTimeout", ErrorCode::Timeout},
                                               {"Timeout", ErrorCode::Timeout},
                                               {"MethodNotAllowed", ErrorCode::Unsupported},
                                               {"NotAcceptable", ErrorCode::Unsupported},
                                               {"UnsupportedMediaType", ErrorCode::Unsupported},
                                               {"InternalError", ErrorCode::Internal},
                                               {"StoreReadError", ErrorCode::Internal}}};

Status about(const GroupResource& resource, std::string_view name, Status status) {
  status.details =
      StatusDetails{.name = std::string(name), .group = resource.group, .kind = resource.resource};
  return status;
}

StatusDetails retry_details(std::chrono::seconds after) {
  StatusDetails details;
  details.retry_after_seconds = after.count();
  return details;
}

// NewGenericServerResponse of client-go: what a bare code means.
std::string generic_message(int code, std::string_view body) {
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      return "the server was unable to respond with a content type that the client supports";
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be processing "
             "the "
             "request";
    default:
      break;
  }
  if (code >= 500) {
    return fmt::format("an error on the server ({}) has prevented the request from succeeding", quoted(body));
  }
  return fmt::format("the server responded with the status code {} but did not return more information",
                     code);
}

}  // namespace

json::Object Status::to_object() const {
  return json::to_object(*this);
}

Status status_failure(int code, std::string_view reason, std::string message) {
  Status status;
  status.code = code;
  status.reason = reason;
  status.message = std::move(message);
  return status;
}

Status status_of_http(int code, std::string message) {
  switch (code) {
    case 400:
      return status_failure(code, "BadRequest", std::move(message));
    case 413:
      return status_failure(code, "RequestEntityTooLarge", std::move(message));
    case 503:
      return status_failure(code, "ServiceUnavailable", std::move(message));
    default:
      return status_failure(code, code == 500 ? "InternalError" : "", std::move(message));
  }
}

Status status_success() {
  Status status;
  status.status = "Success";
  status.code = 200;
  return status;
}

Status status_not_found(const GroupResource& resource, std::string_view name) {
  return about(
      resource, name,
      status_failure(404, "NotFound", fmt::format("{} {} not found", resource.to_string(), go_quoted(name))));
}

Status status_already_exists(const GroupResource& resource, std::string_view name) {
  return about(resource, name,
               status_failure(409, "AlreadyExists",
                              fmt::format("{} {} already exists", resource.to_string(), go_quoted(name))));
}

Status status_conflict(const GroupResource& resource, std::string_view name, std::string_view why) {
  return about(resource, name,
               status_failure(409, "Conflict",
                              fmt::format("Operation cannot be fulfilled on {} {}: {}", resource.to_string(),
                                          go_quoted(name), why)));
}

Status status_modified(const GroupResource& resource, std::string_view name) {
  return status_conflict(
      resource, name,
      "the object has been modified; please apply your changes to the latest version and try "
      "again");
}

Status status_apply_conflict(std::vector<StatusCause> causes, std::string message) {
  Status status = status_failure(409, "Conflict", std::move(message));
  status.details.emplace().causes = std::move(causes);
  return status;
}

Status status_expired(std::string message) {
  return status_failure(410, "Expired", std::move(message));
}

Status status_invalid(const GroupKind& kind, std::string_view name, const json::FieldErrors& errors) {
  std::string message = fmt::format("{} {} is invalid", kind.to_string(), go_quoted(name));
  if (!errors.empty()) message += ": " + json::describe(errors);
  Status status = about({kind.group, kind.kind}, name, status_failure(422, "Invalid", std::move(message)));
  for (const json::FieldError& error : errors) {
    status.details->causes.push_back({std::string(error.reason()), error.body(), error.field});
  }
  return status;
}

Status status_bad_request(std::string message) {
  return status_failure(400, "BadRequest", std::move(message));
}

Status status_unauthorized(std::string message) {
  return status_failure(401, "Unauthorized", message.empty() ? "Unauthorized" : std::move(message));
}

Status status_forbidden(const GroupResource& resource, std::string_view name, std::string_view why) {
  std::string message = "forbidden";
  if (!resource.is_empty()) {
    message =
        fmt::format("{}{} is forbidden", resource.to_string(), name.empty() ? "" : " " + go_quoted(name));
  }
  return about(resource, name, status_failure(403, "Forbidden", fmt::format("{}: {}", message, why)));
}

Status status_method_not_allowed(const GroupResource& resource, std::string_view action) {
  return about(resource, "",
               status_failure(405, "MethodNotAllowed",
                              fmt::format("{} is not supported on resources of kind {}", action,
                                          go_quoted(resource.to_string()))));
}

Status status_not_acceptable(std::string message) {
  return status_failure(406, "NotAcceptable", std::move(message));
}

Status status_unsupported_media_type(std::string message) {
  return status_failure(415, "UnsupportedMediaType", std::move(message));
}

Status status_too_large(std::string_view why) {
  return status_failure(413, "RequestEntityTooLarge", fmt::format("Request entity too large: {}", why));
}

Status status_too_many_requests(std::string message, std::chrono::seconds retry_after) {
  Status status = status_failure(429, "TooManyRequests", std::move(message));
  status.details = retry_details(retry_after);
  return status;
}

Status status_unavailable(std::string message) {
  return status_failure(503, "ServiceUnavailable", std::move(message));
}

Status status_timeout(std::string_view why, std::chrono::seconds retry_after) {
  Status status = status_failure(504, "Timeout", fmt::format("Timeout: {}", why));
  status.details = retry_details(retry_after);
  return status;
}

Status status_internal(std::string_view why) {
  Status status = status_failure(500, "InternalError", fmt::format("Internal error occurred: {}", why));
  status.details.emplace().causes.push_back({"", std::string(why)});
  return status;
}

int http_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return 404;
    case ErrorCode::AlreadyExists:
    case ErrorCode::Conflict:
      return 409;
    case ErrorCode::Gone:
      return 410;
    case ErrorCode::Invalid:
      return 422;
    case ErrorCode::Forbidden:
      return 403;
    case ErrorCode::Unavailable:
      return 503;
    case ErrorCode::Timeout:
      return 504;
    case ErrorCode::Unsupported:
      return 405;
    case ErrorCode::Cancelled:  // only we cancel: whoever still listens sees a server that is going away
      return 503;
    case ErrorCode::Internal:
      return 500;
  }
  FAIRWAY_CHECK(false, "an ErrorCode outside its enumeration");
}

ErrorCode error_code_of_http(int http_code) {
  switch (http_code) {
    case 400:
    case 413:
    case 422:
      return ErrorCode::Invalid;
    case 401:
    case 403:
      return ErrorCode::Forbidden;
    case 404:
      return ErrorCode::NotFound;
    case 405:
    case 406:
    case 415:
    case 501:
      return ErrorCode::Unsupported;
    case 408:
    case 504:
      return ErrorCode::Timeout;
    case 409:
      return ErrorCode::Conflict;
    case 410:
      return ErrorCode::Gone;
    case 429:
    case 502:
    case 503:
      return ErrorCode::Unavailable;
    default:
      return http_code >= 400 && http_code < 500 ? ErrorCode::Invalid : ErrorCode::Internal;
  }
}

Status to_status(const Error& error) {
  const int code = http_code_of(error.code);
  std::string_view reason = code == 503 ? "ServiceUnavailable" : "InternalError";
  const auto* const known = std::ranges::find(kReasons, error.code, &ReasonCode::code);
  if (known != kReasons.end() && code != 503) reason = known->reason;
  if (error.code == ErrorCode::Gone) reason = "Expired";
  if (error.code == ErrorCode::Forbidden) reason = "Forbidden";
  if (error.code == ErrorCode::Timeout) reason = "Timeout";
  Status status = status_failure(code, reason, error.describe());
  if (error.retry_after) {
    status.details = retry_details(std::chrono::ceil<std::chrono::seconds>(*error.retry_after));
  }
  return status;
}

Error to_error(const Status& status) {
  const auto* const known = std::ranges::find(kReasons, status.reason, &ReasonCode::reason);
  Error error;
  error.code = known != kReasons.end() ? known->code : error_code_of_http(status.code);
  error.message = status.message.empty() ? generic_message(status.code, "") : status.message;
  if (status.details && status.details->retry_after_seconds > 0) {
    error.retry_after = std::chrono::seconds(status.details->retry_after_seconds);
  }
  return error;
}

Error error_of_response(int http_code, std::string_view body, bool is_create) {
  if (const auto object = json::parse_object(body)) {
    const auto kind = json::get_string(*object, {"kind"});
    auto status = json::from_json<Status>(*object);
    if (kind == "Status" && status && !status->is_success()) {
      if (status->code == 0) status->code = http_code;
      return to_error(*status);
    }
  }
  Error error{error_code_of_http(http_code), generic_message(http_code, trim(body))};
  if (http_code == 409 && is_create) error.code = ErrorCode::AlreadyExists;
  return error;
}

}  // namespace fairway::kube
