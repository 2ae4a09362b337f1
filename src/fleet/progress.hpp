// One cluster on its way along the policies or works of a rollout. Pure.
//
// The index never goes back. A cluster that a policy is not about passes it; one whose compliance cannot be
// told stays. A soak is never shorter than asked for: its start is rounded up to what the API can keep.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fleet/path.hpp"
#include "fleet/types.hpp"

namespace fairway::fleet {

struct Step {
  std::int64_t index = 0;  // as many as there are policies: it is through
  std::optional<WallTime> first_compliant_at = {};
  std::optional<WallTime> soaked_at = {};  // the first moment after the soak it is in
  bool has_lost_binding = false;           // it waited for a policy that is no longer about it
};
// Without `soak`, compliance is enough.
Step advance(const Path& path, std::string_view cluster, std::int64_t from,
             std::optional<WallTime> first_compliant_at, WallTime now, bool soak = true);

}  // namespace fairway::fleet
