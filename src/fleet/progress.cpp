#include "fleet/progress.hpp"

#include <algorithm>

#include "fleet/timeouts.hpp"

namespace fairway::fleet {

Step advance(const Path& path, std::string_view cluster, std::int64_t from,
             std::optional<WallTime> first_compliant_at, WallTime now, bool soak) {
  Step step{.index = std::max<std::int64_t>(from, 0)};
  for (; step.index < static_cast<std::int64_t>(path.size()); ++step.index) {
    const auto at = static_cast<std::size_t>(step.index);
    const Compliance compliance = path.on(at, cluster);
    if (!is_done(compliance)) return step;
    if (compliance == Compliance::NotMatched) {
      step.has_lost_binding |= step.index == from;
      continue;
    }
    const auto soak_time = soak ? path.soak(at) : std::nullopt;
    if (!soak_time) continue;
    // Only the policy that it was at when it was last seen can have begun to soak.
    const auto begun = step.index == from ? first_compliant_at : std::nullopt;
    const WallTime first = begun.value_or(std::chrono::ceil<std::chrono::seconds>(now));
    if (begun && now - first > *soak_time) continue;
    step.first_compliant_at = first;
    step.soaked_at = just_after(first, *soak_time);
    return step;
  }
  return step;
}

}  // namespace fairway::fleet
