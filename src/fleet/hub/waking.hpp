// Whom a change of an object concerns, where several controllers ask the same.
#pragma once

#include <vector>

#include "fleet/placements.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {

// For a cache of which only the first list is waited for: what follows from a change is decided elsewhere.
inline std::vector<kube::ObjectKey> nobody(const json::Object&) {
  return {};
}

// The rollout that an object was made for, by its labels.
inline std::vector<kube::ObjectKey> rollout_of(const json::Object& object) {
  const auto name = kube::label(object, kRolloutLabel);
  const auto ns = kube::label(object, kRolloutNamespaceLabel);
  if (!name || !ns) return {};
  return {{std::string(*ns), std::string(*name)}};
}

}  // namespace fairway::fleet
