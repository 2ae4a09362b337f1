// Versions in the words that existing clients use: what is wrong with a text that is not a semantic version.
// People search for these sentences, so they are kept as they are. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/semver.hpp"

namespace fairway::clusterversion {

// The version, or an error whose message is the sentence alone.
Result<SemVer> parse_version(std::string_view text);

// "4.7" of 4.7.4.
std::string minor_of(const SemVer& version);

}  // namespace fairway::clusterversion
