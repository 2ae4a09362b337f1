// Whether an object that was applied is as far as it should be before the next one is applied. Pure.
//
// Kinds that take effect at once are ready by being there. What is waited for is told in words that fit
// behind "waiting on …". A state is of now: an object that failed may recover, so it is looked at again.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "json/value.hpp"

namespace fairway::clusterversion {

struct Ready {
  bool operator==(const Ready&) const = default;
};

struct Waiting {
  std::string why;
  bool operator==(const Waiting&) const = default;
};

// The object says itself that it does not get any further.
struct Failed {
  std::string why;
  bool operator==(const Failed&) const = default;
};

using ManifestState = std::variant<Ready, Waiting, Failed>;

struct ManifestExpectation {
  std::string_view version = {};  // that a ClusterOperator has to report as its own; empty: any
};

ManifestState state_of(const json::Object& live, const ManifestExpectation& expected = {});

}  // namespace fairway::clusterversion
