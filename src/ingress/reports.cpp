#include "ingress/reports.hpp"

#include <optional>

#include "base/text.hpp"

namespace fairway::ingress {
namespace {

std::optional<WallTime> time_of(const json::Object& event) {
  for (const std::string_view field : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    const auto text = json::get_string(event, {field});
    if (!text) continue;
    if (const auto time = parse_rfc3339(*text)) return time;
  }
  return std::nullopt;
}

struct Newest {
  std::optional<WallTime> time = {};
  std::string message = {};

  void take(WallTime at, std::string_view text) {
    if (time && *time > at) return;
    time = at;
    message = std::string(text);
  }
};

}  // namespace

std::string reported_uid(const json::Object& event) {
  const auto source = json::get_string(event, {"source", "component"});
  const auto reporter = json::get_string(event, {"reportingComponent"});
  if (source != "service-controller" && reporter != "service-controller") return {};
  return std::string(json::get_string(event, {"involvedObject", "uid"}).value_or(""));
}

CloudReports read_reports(const std::vector<std::shared_ptr<const json::Object>>& events) {
  Newest failed;
  Newest delete_failed;
  CloudReports reports;
  for (const auto& event : events) {
    const auto time = time_of(*event);
    if (!time) continue;
    const auto reason = json::get_string(*event, {"reason"}).value_or("");
    const auto message = json::get_string(*event, {"message"}).value_or("");
    if (reason == "SyncLoadBalancerFailed") failed.take(*time, message);
    if (reason == "DeleteLoadBalancerFailed") delete_failed.take(*time, message);
    if (reason == "EnsuredLoadBalancer" && (!reports.ensured_at || *reports.ensured_at < *time))
      reports.ensured_at = *time;
  }
  const bool is_overcome = reports.ensured_at && failed.time && *reports.ensured_at >= *failed.time;
  if (!is_overcome) reports.sync_failure = failed.message;
  reports.delete_failure = delete_failed.message;
  return reports;
}

}  // namespace fairway::ingress
