// metav1.Status: how the Kubernetes API tells of failures; built, read, and mapped to Error and back.
//
// The builders use the texts of k8s.io/apimachinery/pkg/api/errors. to_error() looks at the reason first and
// at the HTTP code where the reason says nothing, so that 409 becomes AlreadyExists or Conflict as it is
// meant. An Error keeps no details: a server that has them builds the Status itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/codec.hpp"
#include "json/schema_errors.hpp"
#include "kube/core/gvk.hpp"

namespace fairway::kube {

struct StatusCause {
  std::string reason;
  std::string message = {};
  std::string field = {};
  bool operator==(const StatusCause&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatusCause, (), (reason, message, field))
constexpr auto json_fields(const StatusCause*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct StatusDetails {
  std::string name;
  std::string group = {};
  std::string kind = {};
  std::string uid = {};
  std::vector<StatusCause> causes = {};
  std::int64_t retry_after_seconds = 0;
  bool operator==(const StatusDetails&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatusDetails, (), (name, group, kind, uid, causes, retry_after_seconds))
constexpr auto json_fields(const StatusDetails*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct Status {
  std::string kind = "Status";
  std::string api_version = "v1";
  json::Object metadata = {};
  std::string status = "Failure";  // or "Success"
  std::string message = {};
  std::string reason = {};
  std::optional<StatusDetails> details = {};
  std::int32_t code = 0;

  bool is_success() const { return status == "Success"; }
  json::Object to_object() const;
  bool operator==(const Status&) const = default;
};
BOOST_DESCRIBE_STRUCT(Status, (), (kind, api_version, metadata, status, message, reason, details, code))
constexpr auto json_fields(const Status*) {
  return std::array{json::Field{.member = "metadata", .keep_empty = true},
                    json::Field{.member = "message", .omit_empty = true},
                    json::Field{.member = "reason", .omit_empty = true},
                    json::Field{.member = "code", .omit_empty = true}};
}

Status status_success();
Status status_failure(int code, std::string_view reason, std::string message);
// What a refusal without further knowledge is called: the reason that belongs to the code.
Status status_of_http(int code, std::string message);
Status status_not_found(const GroupResource& resource, std::string_view name);
Status status_already_exists(const GroupResource& resource, std::string_view name);
Status status_conflict(const GroupResource& resource, std::string_view name, std::string_view why);
// "Operation cannot be fulfilled on …: the object has been modified; please apply your changes …"
Status status_modified(const GroupResource& resource, std::string_view name);
// Of a server-side apply: each cause names a field and its manager.
Status status_apply_conflict(std::vector<StatusCause> causes, std::string message);
Status status_expired(std::string message);
Status status_invalid(const GroupKind& kind, std::string_view name, const json::FieldErrors& errors);
Status status_bad_request(std::string message);
Status status_unauthorized(std::string message = {});
Status status_forbidden(const GroupResource& resource, std::string_view name, std::string_view why);
Status status_method_not_allowed(const GroupResource& resource, std::string_view action);
Status status_not_acceptable(std::string message);
Status status_unsupported_media_type(std::string message);
Status status_too_large(std::string_view why);
Status status_too_many_requests(std::string message, std::chrono::seconds retry_after);
Status status_unavailable(std::string message);
Status status_timeout(std::string_view why, std::chrono::seconds retry_after = {});
Status status_internal(std::string_view why);

// The generic Status for an error: code and reason by its ErrorCode, the message as described.
Status to_status(const Error& error);
Error to_error(const Status& status);

// What a response that is no success means. A body that is a Status is used; anything else is told in the
// words that client-go has for the code. `is_create` decides what a bare 409 means.
Error error_of_response(int http_code, std::string_view body, bool is_create = false);

// The HTTP code of an ErrorCode, and the other way where only the number is known.
int http_code_of(ErrorCode code);
ErrorCode error_code_of_http(int http_code);

}  // namespace fairway::kube
