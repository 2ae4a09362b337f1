#include <fmt/format.h>

#include "apiserver/authorization.hpp"
#include "apiserver/tokens.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

constexpr std::int64_t kShortest = 600;
constexpr std::int64_t kDefault = 3600;
constexpr std::int64_t kLongest = 365 * 24 * 3600;  // more is cut to this

FieldErrors check_request(const Object& request) {
  FieldErrors errors;
  const auto seconds = json::get_int(request, {"spec", "expirationSeconds"});
  if (seconds && *seconds < kShortest) {
    errors.push_back(FieldError::invalid("spec.expirationSeconds", Value(*seconds),
                                         "may not specify a duration less than 10 minutes"));
  }
  if (seconds && *seconds > std::int64_t{1} << 32) {
    errors.push_back(FieldError::invalid("spec.expirationSeconds", Value(*seconds),
                                         "may not specify a duration larger than 2^32 seconds"));
  }
  return errors;
}

// The object that the token is to end with must be there, and be the one that is meant.
ApiResult<std::optional<std::string>> bound_uid(const TokenQuestion& question, const Object& request) {
  const Object* reference = json::get_object(request, {"spec", "boundObjectRef"});
  if (reference == nullptr) return std::nullopt;
  const std::string kind(json::get_string(*reference, {"kind"}).value_or(""));
  const std::string name(json::get_string(*reference, {"name"}).value_or(""));
  const std::string version(json::get_string(*reference, {"apiVersion"}).value_or(""));
  if ((kind != "Pod" && kind != "Secret" && kind != "Node") || version != "v1") {
    return refuse(
        bad_request(fmt::format("cannot bind token for serviceaccount {} to object of type {}, Kind={}: "
                                "bind it to a Pod, a Secret or a Node of v1",
                                quoted(kube::name_of(*question.account)), version, kind)));
  }
  const kube::GroupResource resource{"", to_lower(kind) + "s"};
  if (question.bound_object == nullptr) return refuse(kube::status_not_found(resource, name));
  std::string uid(kube::uid_of(*question.bound_object));
  const std::string wanted(json::get_string(*reference, {"uid"}).value_or(""));
  if (!wanted.empty() && wanted != uid) {
    return refuse(kube::status_conflict(
        resource, name,
        fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                    "The object might have been deleted and then recreated",
                    wanted)));
  }
  return uid;
}

}  // namespace

ApiResult<IssuedToken> issue_token(const TokenQuestion& question, Object request) {
  const Object& account = *question.account;
  if (const FieldErrors errors = check_request(request); !errors.empty()) {
    ApiError error = invalid(*question.resource, kube::name_of(account), errors);
    error.message = fmt::format("TokenRequest.authentication.k8s.io \"{}\" is invalid: {}",
                                kube::name_of(account), json::describe(errors));
    error.details->group = "authentication.k8s.io";
    error.details->kind = "TokenRequest";
    return refuse(std::move(error));
  }
  auto bound = bound_uid(question, request);
  if (!bound) return refuse(std::move(bound.error()));
  const std::int64_t seconds =
      std::min(json::get_int(request, {"spec", "expirationSeconds"}).value_or(kDefault), kLongest);
  const std::string uid(kube::uid_of(account));
  TokenGrant grant{.user = account_user(kube::namespace_of(account), kube::name_of(account), uid),
                   .reach = {.clusters = {question.cluster}},
                   .expires = question.now + std::chrono::seconds(seconds),
                   .bound_to = {uid}};
  if (*bound) grant.bound_to.push_back(**bound);
  const std::string expires = format_rfc3339(*grant.expires);
  json::ensure_object(request, {"spec"})["expirationSeconds"] = seconds;
  Object& metadata = json::ensure_object(request, {"metadata"});
  metadata["name"] = kube::name_of(account);
  metadata["namespace"] = kube::namespace_of(account);
  metadata["creationTimestamp"] = format_rfc3339(question.now);
  request["status"] = Object{{"expirationTimestamp", expires}, {"token", question.token}};
  return IssuedToken{{token_digest(question.token), std::move(grant)}, std::move(request)};
}

}  // namespace fairway::apiserver
