// The cluster's identifier: a UUID, read as Go's uuid package reads it, with that package's messages.
//
// Administrators search for these messages, and the update service gets the identifier as it stands; what is
// wrong with it is said in two places (the Invalid condition and RetrievedUpdates), in the same words. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::clusterversion {

struct Uuid {
  std::array<std::uint8_t, 16> bytes = {};

  bool is_rfc4122() const;  // the variant
  int version() const;
  std::string to_string() const;  // lower case, with hyphens
  bool operator==(const Uuid&) const = default;
};

// Plain, in braces, after urn:uuid:, or 32 digits without hyphens. "invalid UUID length: 3" and the like.
Result<Uuid> parse_uuid(std::string_view text);

}  // namespace fairway::clusterversion
