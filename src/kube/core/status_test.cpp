#include "kube/core/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;

const GroupResource kPods{"", "pods"};
const GroupResource kDeployments{"apps", "deployments"};

TEST(Status, IsWrittenAsKubernetesDoes) {
  EXPECT_EQ(json::serialize(status_not_found(kDeployments, "web").to_object()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"deployments.apps \"web\" not found","reason":"NotFound",)"
            R"("details":{"name":"web","group":"apps","kind":"deployments"},"code":404})");
  EXPECT_EQ(json::serialize(status_success().to_object()),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":200})");
}

TEST(Status, HasTheMessagesOfKubernetes) {
  EXPECT_EQ(status_already_exists(kPods, "x").message, "pods \"x\" already exists");
  EXPECT_EQ(status_modified(kPods, "x").message,
            "Operation cannot be fulfilled on pods \"x\": the object has been modified; please apply your "
            "changes to "
            "the latest version and try again");
  EXPECT_EQ(status_forbidden(kPods, "x", "no").message, "pods \"x\" is forbidden: no");
  EXPECT_EQ(status_forbidden(kPods, "", "no").message, "pods is forbidden: no");
  EXPECT_EQ(status_forbidden({}, "", "no").message, "forbidden: no");
  EXPECT_EQ(status_method_not_allowed(kPods, "patch").message,
            "patch is not supported on resources of kind \"pods\"");
  EXPECT_EQ(status_timeout("slow").message, "Timeout: slow");
  EXPECT_EQ(status_internal("oops").message, "Internal error occurred: oops");
  EXPECT_EQ(status_too_large("limit is 3").message, "Request entity too large: limit is 3");
  EXPECT_EQ(status_unauthorized().message, "Unauthorized");
}

TEST(Status, OfInvalidObjectsHasCauses) {
  const json::FieldErrors errors = {json::FieldError::invalid("spec.replicas", -1, "must be positive"),
                                    json::FieldError::required("spec.name")};
  const Status status = status_invalid({"apps", "Deployment"}, "web", errors);
  EXPECT_EQ(status.code, 422);
  EXPECT_EQ(status.message,
            "Deployment.apps \"web\" is invalid: [spec.replicas: Invalid value: -1: must be positive, "
            "spec.name: Required value]");
  ASSERT_EQ(status.details->causes.size(), 2U);
  EXPECT_EQ(status.details->causes[0],
            (StatusCause{"FieldValueInvalid", "Invalid value: -1: must be positive", "spec.replicas"}));
  EXPECT_EQ(status.details->kind, "Deployment");
  EXPECT_EQ(status_invalid({"", "Pod"}, "x", {errors[1]}).message,
            "Pod \"x\" is invalid: spec.name: Required value");
  EXPECT_EQ(status_invalid({"", "Pod"}, "x", {}).message, "Pod \"x\" is invalid");
}

struct Mapped {
  const char* name;
  Status status;
  int http_code;
  ErrorCode code;
};

class Mapping : public testing::TestWithParam<Mapped> {};

TEST_P(Mapping, SurvivesTheWire) {
  EXPECT_EQ(GetParam().status.code, GetParam().http_code);
  const std::string body = json::serialize(GetParam().status.to_object());
  const Error error = error_of_response(GetParam().http_code, body);
  EXPECT_EQ(error.code, GetParam().code);
  EXPECT_EQ(error.message, GetParam().status.message);
  EXPECT_EQ(json::from_json<Status>(*json::parse(body)), GetParam().status);
}

INSTANTIATE_TEST_SUITE_P(
    Status, Mapping,
    testing::Values(
        Mapped{"NotFound", status_not_found(kPods, "x"), 404, ErrorCode::NotFound},
        Mapped{"AlreadyExists", status_already_exists(kPods, "x"), 409, ErrorCode::AlreadyExists},
        Mapped{"Conflict", status_modified(kPods, "x"), 409, ErrorCode::Conflict},
        Mapped{"ApplyConflict", status_apply_conflict({{"FieldManagerConflict", "m", ".spec"}}, "c"), 409,
               ErrorCode::Conflict},
        Mapped{"Expired", status_expired("too old resource version: 1 (5)"), 410, ErrorCode::Gone},
        Mapped{"Invalid", status_invalid({"", "Pod"}, "x", {}), 422, ErrorCode::Invalid},
        Mapped{"BadRequest", status_bad_request("b"), 400, ErrorCode::Invalid},
        Mapped{"TooLarge", status_too_large("b"), 413, ErrorCode::Invalid},
        Mapped{"Unauthorized", status_unauthorized(), 401, ErrorCode::Forbidden},
        Mapped{"Forbidden", status_forbidden(kPods, "x", "w"), 403, ErrorCode::Forbidden},
        Mapped{"MethodNotAllowed", status_method_not_allowed(kPods, "a"), 405, ErrorCode::Unsupported},
        Mapped{"NotAcceptable", status_not_acceptable("a"), 406, ErrorCode::Unsupported},
        Mapped{"MediaType", status_unsupported_media_type("a"), 415, ErrorCode::Unsupported},
        Mapped{"TooMany", status_too_many_requests("a", 1s), 429, ErrorCode::Unavailable},
        Mapped{"Unavailable", status_unavailable("a"), 503, ErrorCode::Unavailable},
        Mapped{"Timeout", status_timeout("a"), 504, ErrorCode::Timeout},
        Mapped{"Internal", status_internal("a"), 500, ErrorCode::Internal}),
    [](const auto& test) { return test.param.name; });

TEST(Error, BecomesAStatusAndComesBack) {
  for (ErrorCode code : {ErrorCode::NotFound, ErrorCode::AlreadyExists, ErrorCode::Conflict, ErrorCode::Gone,
                         ErrorCode::Invalid, ErrorCode::Forbidden, ErrorCode::Unavailable, ErrorCode::Timeout,
                         ErrorCode::Unsupported, ErrorCode::Internal}) {
    const Error error{code, "why", {}, 1500ms};
    const Status status = to_status(error);
    EXPECT_EQ(status.code, http_code_of(code)) << to_string(code);
    EXPECT_FALSE(status.reason.empty());
    const Error back = to_error(status);
    EXPECT_EQ(back.code, code) << status.reason;
    EXPECT_EQ(back.message, "why");
    EXPECT_EQ(back.retry_after, 2s);
  }
  EXPECT_EQ(to_error(to_status({ErrorCode::Cancelled, "stop"})).code, ErrorCode::Unavailable);
}

TEST(Error, ReasonsAreThoseOfKubernetes) {
  const auto reason = [](ErrorCode code) { return to_status({code, ""}).reason; };
  EXPECT_EQ(reason(ErrorCode::NotFound), "NotFound");
  EXPECT_EQ(reason(ErrorCode::AlreadyExists), "AlreadyExists");
  EXPECT_EQ(reason(ErrorCode::Conflict), "Conflict");
  EXPECT_EQ(reason(ErrorCode::Gone), "Expired");
  EXPECT_EQ(reason(ErrorCode::Invalid), "Invalid");
  EXPECT_EQ(reason(ErrorCode::Forbidden), "Forbidden");
  EXPECT_EQ(reason(ErrorCode::Unavailable), "ServiceUnavailable");
  EXPECT_EQ(reason(ErrorCode::Timeout), "Timeout");
  EXPECT_EQ(reason(ErrorCode::Unsupported), "MethodNotAllowed");
  EXPECT_EQ(reason(ErrorCode::Cancelled), "ServiceUnavailable");
  EXPECT_EQ(reason(ErrorCode::Internal), "InternalError");
}

TEST(Error, ReasonWinsOverCode) {
  Status status = status_internal("x");
  status.reason = "ServerTimeout";
  EXPECT_EQ(to_error(status).code, ErrorCode::Timeout);
  status.reason = "SomethingNew";
  EXPECT_EQ(to_error(status).code, ErrorCode::Internal);
  status.reason = "";
  status.code = 410;
  EXPECT_EQ(to_error(status).code, ErrorCode::Gone);
}

TEST(ErrorOfResponse, SpeaksForBodiesThatAreNoStatus) {
  EXPECT_EQ(error_of_response(404, "404 page not found\n").code, ErrorCode::NotFound);
  EXPECT_EQ(error_of_response(404, "").message, "the server could not find the requested resource");
  EXPECT_EQ(error_of_response(500, "boom\n").message,
            "an error on the server (\"boom\") has prevented the request from succeeding");
  EXPECT_EQ(error_of_response(418, "").message,
            "the server responded with the status code 418 but did not return more information");
  EXPECT_EQ(error_of_response(418, "").code, ErrorCode::Invalid);
  EXPECT_EQ(error_of_response(409, "x").code, ErrorCode::Conflict);
  EXPECT_EQ(error_of_response(409, "x", true).code, ErrorCode::AlreadyExists);
  EXPECT_EQ(error_of_response(502, "<html>").code, ErrorCode::Unavailable);
  EXPECT_EQ(error_of_response(503, R"({"kind":"Pod"})").code, ErrorCode::Unavailable);
  EXPECT_EQ(error_of_response(403, R"({"kind":"Status","reason":"Forbidden","message":"no"})").message, "no");
  EXPECT_EQ(error_of_response(429, R"({"kind":"Status","details":{"retryAfterSeconds":3}})").retry_after, 3s);
  EXPECT_EQ(error_of_response(302, "").code, ErrorCode::Internal);
}

}  // namespace
}  // namespace fairway::kube
