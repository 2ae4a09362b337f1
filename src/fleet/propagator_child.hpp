// The child of a root policy in a cluster's namespace. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fleet/propagator_sets.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kRootLabel = "policy.open-cluster-management.io/root-policy";
inline constexpr std::string_view kClusterNameLabel = "policy.open-cluster-management.io/cluster-name";
inline constexpr std::string_view kClusterNamespaceLabel =
    "policy.open-cluster-management.io/cluster-namespace";

// "namespace.name" of the root.
std::string child_name(const json::Object& root);
// `override_text`: the word of the binding that enforces it; empty: none does.
json::Object desired_child(const PolicyBindings& seen, std::string_view cluster,
                           std::string_view override_text);
// The child as it should be, keeping what is not ours; empty when it already is.
json::Object corrected_child(const json::Object& have, const json::Object& want);

// What the child says of its cluster. Empty where it has said nothing, and where it was Compliant before its
// last change: that says nothing about now.
std::string_view compliance_of_child(const json::Object& child);

}  // namespace fairway::fleet
