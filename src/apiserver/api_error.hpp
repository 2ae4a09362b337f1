// ApiError: why a request was refused, as a metav1.Status says it.
//
// Codes, reasons and wording are those of Kubernetes, because clients decide by the reason and people search
// for the words. A handler returns ApiResult<T>; one place turns the error into an HTTP answer.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

struct ApiError {
  struct Cause {
    std::string reason;
    std::string message;
    std::string field;
  };
  struct Details {
    std::string name;
    std::string group;
    std::string kind;  // the resource's plural, or the kind where Kubernetes says the kind
    std::string uid;
    std::vector<Cause> causes;
    int retry_after_seconds = 0;
  };

  int code = 500;
  std::string reason;
  std::string message;
  std::optional<Details> details;
  std::string continue_token;  // where a list may go on after its snapshot expired

  json::Object to_status() const;
  http::Response to_response() const;
};

template <class T>
using ApiResult = std::expected<T, ApiError>;

inline std::unexpected<ApiError> refuse(ApiError error) {
  return std::unexpected(std::move(error));
}

ApiError not_found(const Resource& resource, std::string_view name);
ApiError already_exists(const Resource& resource, std::string_view name);
ApiError conflict(const Resource& resource, std::string_view name, std::string_view why);
ApiError stale_object(const Resource& resource, std::string_view name);
ApiError invalid(const Resource& resource, std::string_view name, const json::FieldErrors& errors);
ApiError forbidden(const Resource& resource, std::string_view name, std::string_view why);
// CreateOptions.meta.k8s.io "" is invalid: …
ApiError invalid_options(std::string_view kind, const json::FieldError& error);
ApiError bad_request(std::string message);
ApiError unauthorized();
ApiError path_not_found();
ApiError method_not_allowed(std::string_view method);
ApiError not_acceptable(std::string_view offered);
ApiError unsupported_media_type(std::string_view found, std::string_view offered);
ApiError expired(std::string message);
ApiError too_large_resource_version(std::string_view asked, std::string_view current);
ApiError too_many_requests(std::string message, int retry_after_seconds);
ApiError internal_error(std::string_view message);
ApiError request_too_large(std::string message);
// An error of a layer below (the store): unavailable ones may be retried.
ApiError from_error(const Error& error, const Resource& resource, std::string_view name);

json::Object success_status(const Resource& resource, std::string_view name, std::string_view uid);

http::Response json_response(int status, const json::Object& body);

}  // namespace fairway::apiserver
