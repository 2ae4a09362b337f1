// What a root policy says of its clusters: a row for each that it is bound to, and one word for them all.
// Pure.
//
// A root of a large fleet has thousands of rows, and a change is mostly about a few of them. So the rows that
// there are are compared where they stand, and only what differs is made and sent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.hpp"
#include "fleet/propagator_sets.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {

// From the beginning of one write of a root's status to the next: changes are gathered meanwhile, and where a
// write takes long the server is left free for other work.
inline constexpr Duration kRollUpInterval = std::chrono::milliseconds(200);
inline constexpr int kRollUpRest = 8;  // times as long as the write took
inline constexpr Duration kLongestRest = std::chrono::seconds(10);
Duration rest_after_write(Duration taken);

// What a cluster's child says of it (propagator_child.hpp); empty without one.
using ComplianceOf = std::function<std::string_view(const std::string& cluster)>;

// placement, status and compliant of the root; everything else of its status stays.
json::Object desired_status(const PolicyBindings& seen, const Enforcement& enforcement,
                            const ComplianceOf& compliance);

struct WritePolicyStatus {
  kube::ObjectKey key;
  std::string compliant;     // the word for all; empty: undecided
  std::size_t clusters = 0;  // that have a row
  // Of the root's status, provided that the root still has the version that was seen: a merge patch (RFC
  // 7386), or where few rows of many differ a JSON patch (RFC 6902) of those.
  std::variant<json::Object, json::Array> patch;
};
// From the root's status to the one that it should have; nothing when that is the same.
std::optional<WritePolicyStatus> correct_status(const PolicyBindings& seen, const Enforcement& enforcement,
                                                const ComplianceOf& compliance);

}  // namespace fairway::fleet
