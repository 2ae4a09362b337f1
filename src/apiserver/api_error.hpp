// ApiError: why a request was refused, in the terms of a resource that is served.
//
// It is a metav1.Status: codes, reasons and wording are those of Kubernetes (kube/core/status.hpp), because
// clients decide by the reason and people search for the words. A handler returns ApiResult<T>; response_of()
// turns the error into an HTTP answer.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "apiserver/catalog.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"
#include "kube/core/status.hpp"

namespace fairway::apiserver {

using ApiError = kube::Status;

template <class T>
using ApiResult = std::expected<T, ApiError>;

inline std::unexpected<ApiError> refuse(ApiError error) {
  return std::unexpected(std::move(error));
}

http::Response response_of(const ApiError& error);
http::Response json_response(int status, const json::Object& body);

ApiError not_found(const Resource& resource, std::string_view name);
ApiError already_exists(const Resource& resource, std::string_view name);
ApiError conflict(const Resource& resource, std::string_view name, std::string_view why);
ApiError stale_object(const Resource& resource, std::string_view name);
ApiError invalid(const Resource& resource, std::string_view name, const json::FieldErrors& errors);
ApiError forbidden(const Resource& resource, std::string_view name, std::string_view why);
// CreateOptions.meta.k8s.io "" is invalid: …
ApiError invalid_options(std::string_view kind, const json::FieldError& error);
ApiError bad_request(std::string message);
ApiError path_not_found();
ApiError method_not_allowed(std::string_view method);
ApiError not_acceptable(std::string_view offered);
ApiError unsupported_media_type(std::string_view found, std::string_view offered);
ApiError too_large_resource_version(std::string_view asked, std::string_view current);
// An error of a layer below (the store): unavailable ones may be retried.
ApiError from_error(const Error& error, const Resource& resource, std::string_view name);

json::Object success_status(const Resource& resource, std::string_view name, std::string_view uid);

}  // namespace fairway::apiserver
