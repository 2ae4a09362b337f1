// PlacementRequest: what a Placement or a PlacementRule asks for, read once a generation. Pure.
//
// Both kinds come down to the same few wishes. What cannot be understood is a problem, and never "nobody":
// whoever reads it leaves the choice that was made before as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "fleet/hub/cluster_facts.hpp"
#include "fleet/placements.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

struct Toleration {
  std::string key = {};  // empty: every key, with operator Exists
  bool is_any_value = false;
  std::string value = {};
  std::string effect = {};  // empty: every effect
  std::optional<Duration> lasts = {};

  bool covers(const Taint& taint) const;
};

struct PlacementRequest {
  struct Predicate {
    kube::Selector labels = {};
    kube::Selector claims = {};
  };

  PlacementKind kind = PlacementKind::Placement;
  std::vector<Predicate> predicates = {};  // one that matches is enough; none: every cluster
  std::vector<std::string> names = {};     // of a rule: what clusters are called; none: anything
  std::optional<std::int64_t> limit = {};
  std::vector<Toleration> tolerations = {};
  std::vector<std::string> cluster_sets = {};                        // none: all that are bound
  std::vector<std::pair<std::string, std::string>> conditions = {};  // of a rule: type and status
  std::string problem = {};                                          // why it cannot be understood

  static PlacementRequest from(const json::Object& placement);
  bool matches(const ClusterFacts& cluster) const;
  // The index values of which a cluster must have one to be chosen; nothing: any cluster may be.
  std::optional<std::vector<std::string>> required_labels() const;
};

// metav1.LabelSelector as JSON; `In` with no values selects nothing instead of being an error.
Result<kube::Selector> read_selector(const json::Object* selector);

}  // namespace fairway::fleet
