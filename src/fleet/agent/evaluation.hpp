// When a policy is looked at (spec 5.6). Pure.
#pragma once

#include <optional>
#include <string>

#include "fleet/agent/observed.hpp"

namespace fairway::fleet::agent {

struct Due {
  bool is_now = true;
  std::optional<WallTime> at = {};  // when not now: the exact time, or nothing but a change makes it due
};

// Never evaluated, another generation, being deleted, other namespaces, an unknown state: now. Else by the
// interval of the state that it is in.
Due when_due(const Observed& seen, const Configuration& configuration);

// When a finding of this time has to be renewed; nothing: only events do that.
std::optional<WallTime> next_evaluation(const Configuration& configuration, bool is_compliant,
                                        WallTime evaluated);

}  // namespace fairway::fleet::agent
