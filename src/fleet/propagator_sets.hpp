// Selective enforcement as sets. Pure.
//
//   P  bound: the clusters of bindings without a filter
//   Q  those of them whose binding says enforce
//   R  the clusters of restricted bindings that say enforce
//
// A policy has children on P and is enforced on Q and on what P and R share: a restricted binding turns, and
// never adds. A set may leave clusters out of one of its policies: what is bound through it is without them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {

// A placement that has chosen more is named in the root's status without them: the rows have every cluster
// once already, and an object of thousands is sent to every watcher with each change.
inline constexpr std::size_t kMostDecisions = 250;

struct PolicyBindings {
  using Object = std::shared_ptr<const json::Object>;

  Object root = {};                      // null: it is gone
  std::vector<Object> bindings = {};     // PlacementBindings of its namespace
  std::vector<Object> policy_sets = {};  // PolicySets of its namespace
  // Clusters that a placement has chosen, by "Placement name" or "PlacementRule name" in its namespace.
  std::map<std::string, std::vector<std::string>> decisions = {};
};

struct Enforcement {
  std::set<std::string> bound = {};
  std::map<std::string, std::string> enforced = {};  // to the word that the binding has for it
  json::Array placement = {};                        // for the root's status
};
// Of a root that is there.
Enforcement enforcement_of(const PolicyBindings& seen);

// The policies of a set in this namespace; empty when it is not there.
std::vector<std::string> policies_of_set(const PolicyBindings& seen, std::string_view name);

}  // namespace fairway::fleet
