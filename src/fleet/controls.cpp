#include "fleet/controls.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::fleet {
namespace {

std::optional<std::int64_t> whole_number(const json::Value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64())
    return static_cast<std::int64_t>(std::min<std::uint64_t>(value.get_uint64(), INT64_MAX));
  if (value.is_string()) return parse_signed(json::view(value.get_string()));
  return std::nullopt;
}

std::string amount_problem(std::string_view field, const json::Value& value) {
  if (value.is_null() || amount_of(value, 1)) return {};
  return fmt::format("{}: expected a number of at least 1 or a percentage such as \"10%\", found {}", field,
                     json::serialize(value));
}

Result<TimeWindows> to_windows(const MaintenanceWindow& window) {
  return TimeWindows::weekly(window.days, window.start, window.duration, window.time_zone);
}

}  // namespace

std::optional<std::int64_t> amount_of(const json::Value& value, std::size_t total) {
  if (value.is_string() && json::view(value.get_string()).ends_with('%')) {
    std::string_view text = json::view(value.get_string());
    text.remove_suffix(1);
    const auto percent = parse_unsigned(text);
    if (!percent || *percent < 1 || *percent > 100) return std::nullopt;
    const std::uint64_t rounded_up = (*percent * total + 99) / 100;
    return static_cast<std::int64_t>(std::max<std::uint64_t>(rounded_up, 1));
  }
  const auto number = whole_number(value);
  return number && *number >= 1 ? number : std::nullopt;
}

std::string problem_of(const RolloutControls& controls) {
  for (const auto& [field, value] : {std::pair{"maxConcurrency", &controls.max_concurrency},
                                     std::pair{"maxUnavailable", &controls.max_unavailable}}) {
    if (auto problem = amount_problem(field, *value); !problem.empty()) return problem;
  }
  for (std::size_t i = 0; i < controls.batch_sizes.size(); ++i) {
    if (auto problem = amount_problem(fmt::format("batchSizes[{}]", i), controls.batch_sizes[i]);
        !problem.empty())
      return problem;
  }
  for (std::size_t i = 0; i < controls.windows.size(); ++i) {
    if (const auto made = to_windows(controls.windows[i]); !made)
      return fmt::format("windows[{}]: {}", i, made.error().message);
  }
  if (controls.topology && (controls.topology->spread_by.empty() || controls.topology->max_per_value < 1))
    return "topology: expected a label in spreadBy and a maxPerValue of at least 1";
  if (controls.failure_threshold && !controls.failure_threshold->count &&
      !controls.failure_threshold->percent)
    return "failureThreshold: expected count or percent, found neither";
  if (controls.retry.per_cluster > 0 && !controls.cluster_timeout)
    return "retry: a cluster is tried again after clusterTimeout, which is not given";
  if (controls.rollback && controls.rollback->managed_policies.empty())
    return "rollback: expected managedPolicies that take the update back, found none";
  return {};
}

std::optional<TimeWindows> windows_of(const RolloutControls& controls) {
  std::optional<TimeWindows> all;
  for (const MaintenanceWindow& each : controls.windows) {
    const auto made = to_windows(each);
    if (!made) continue;
    if (all) {
      all->add(*made);
    } else {
      all = *made;
    }
  }
  return all;
}

}  // namespace fairway::fleet
