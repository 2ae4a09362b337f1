#include "ingress/reports.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fairway::ingress {
namespace {

std::shared_ptr<const json::Object> event(const char* reason, const char* time, const char* message = "") {
  return std::make_shared<const json::Object>(*json::parse_object(fmt::format(
      R"({{"reason":"{}","message":"{}","lastTimestamp":"{}","source":{{"component":"service-controller"}},
        "involvedObject":{{"kind":"Service","name":"router-x","uid":"u1"}}}})",
      reason, message, time)));
}

// Case 99: only what is said about this very Service, by the cloud's controller, counts.
TEST(Reports, Case99AreReadOfTheServiceControllerByUid) {
  EXPECT_EQ(reported_uid(*event("SyncLoadBalancerFailed", "2024-01-01T00:00:00Z")), "u1");
  json::Object other = *event("SyncLoadBalancerFailed", "2024-01-01T00:00:00Z");
  other["source"] = json::Object{{"component", "somebody"}};
  EXPECT_EQ(reported_uid(other), "");
}

TEST(Reports, AFailureCountsUntilASuccess) {
  const auto failed = event("SyncLoadBalancerFailed", "2024-01-01T00:00:00Z", "no quota");
  const auto again = event("SyncLoadBalancerFailed", "2024-01-01T00:05:00Z", "still no quota");
  const auto before = event("EnsuredLoadBalancer", "2023-12-31T00:00:00Z");
  const auto after = event("EnsuredLoadBalancer", "2024-01-01T01:00:00Z");
  EXPECT_EQ(read_reports({}).sync_failure, "");
  EXPECT_EQ(read_reports({again, failed, before}).sync_failure, "still no quota");
  EXPECT_EQ(read_reports({failed, after, again}).sync_failure, "");
  EXPECT_EQ(read_reports({event("DeleteLoadBalancerFailed", "2024-01-01T00:00:00Z", "busy")}).delete_failure,
            "busy");
}

}  // namespace
}  // namespace fairway::ingress
