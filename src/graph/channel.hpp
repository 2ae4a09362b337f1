// Channel: a named set of versions that clusters follow, and where its versions come from.
//
// A version with a build part joins for that architecture only, one without for all. Feeder and tombstones
// mean nothing to the graph; promote.hpp goes by them. Channels below internal-channels/ only feed others and
// are never served.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/semver.hpp"
#include "graph/finding.hpp"
#include "graph/patterns.hpp"
#include "graph/source_file.hpp"

namespace fairway::graph {

struct Feeder {
  std::string name;                    // of the channel that versions come from
  std::optional<Duration> delay = {};  // how long a version rests there; none: only the erratum counts
  std::string delay_text = {};
  bool wants_public_errata = false;
  std::optional<PatternId> filter = {};  // matched against the whole version
};

struct Channel {
  std::string file;
  std::string name;
  std::vector<SemVer> versions = {};
  std::optional<Feeder> feeder = {};
  std::vector<SemVer> tombstones = {};
  bool is_internal = false;
};

// P<n>W, or P[<n>D][T<n>H]: the ISO 8601 durations that feeders use.
std::optional<Duration> parse_delay(std::string_view text);

// What the service takes as the channel of a request.
bool is_channel_name(std::string_view name);

// By the text after the first '-', then the whole: how channels are listed. A name without '-' is its own
// suffix.
bool channel_less(std::string_view left, std::string_view right);

// The file's channel, or nothing and a finding that refuses.
std::optional<Channel> read_channel(const SourceFile& file, Patterns& patterns, Findings& findings);

}  // namespace fairway::graph
