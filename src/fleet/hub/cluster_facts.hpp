// ClusterFacts: what placements may know of a managed cluster. Pure; made once a change and shared.
//
// A cluster answers to the label `name` with its own name where it has no such label: placements that name
// clusters work whoever registered them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/core/names.hpp"
#include "kube/core/selector.hpp"

namespace fairway::fleet {

struct Taint {
  std::string key = {};
  std::string value = {};
  std::string effect = {};  // NoSelect, PreferNoSelect, NoSelectIfNew
  std::optional<WallTime> added = {};
  bool operator==(const Taint&) const = default;
};

struct ClusterFacts {
  std::string name = {};
  kube::Labels labels = {};
  kube::Labels claims = {};
  std::vector<Taint> taints = {};
  std::map<std::string, std::string> conditions = {};  // type to status
  std::optional<WallTime> unavailable_since = {};
  bool is_being_deleted = false;

  static ClusterFacts from(const json::Object& cluster);
  bool matches_labels(const kube::Selector& selector) const;
  bool matches_claims(const kube::Selector& selector) const { return selector.matches(claims); }
  // For an index: "key" and "key=value" of every label, and name_value() of what it is called.
  std::vector<std::string> label_values() const;
  static std::string name_value(std::string_view name) { return "@" + std::string(name); }
  bool operator==(const ClusterFacts&) const = default;
};

using Cluster = std::shared_ptr<const ClusterFacts>;

// The index values of which a cluster must have one to match; nothing: any cluster may.
std::optional<std::vector<std::string>> required_labels(const kube::Selector& selector);

}  // namespace fairway::fleet
