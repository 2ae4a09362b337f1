// decide_promotions: which versions a channel should take from its feeder now.
//
// Pure: the caller brings the facts that need a repository or a network (since when a version has been in the
// feeder, which errata are public). A version is a candidate when it is in the feeder, not in the channel,
// has no tombstone and matches the filter; it is promoted when it has rested for the delay, or its erratum is
// public. Two guards keep it back: a risk of the patch before that is neither fixed nor declared for it, and,
// with a graph, an older version that could not get out of the channel's minor. What is not promoted says
// why, and until when.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "graph/document.hpp"
#include "graph/graph_data.hpp"
#include "json/value.hpp"

namespace fairway::graph {

struct PromotionFacts {
  WallTime now;
  // When a version's line came into a channel's file; by channel and version.
  std::map<std::pair<std::string, std::string>, WallTime> since = {};
  std::set<std::string, std::less<>> public_errata = {};  // versions
  // All releases of one architecture, for the guards about updates; without it they are not checked.
  const Document* releases = nullptr;
};

struct Promotion {
  std::string channel;
  std::string file;  // of the channel
  std::string version;
  std::string why;
};

struct Waiting {
  std::string channel;
  std::string version;
  std::string why;
  std::optional<WallTime> until = {};  // when only time is missing
};

struct PromotionPlan {
  std::vector<Promotion> promotions;
  std::vector<Waiting> waiting;
  Findings findings;  // errors keep a version back; warnings are for people
};

PromotionPlan decide_promotions(const GraphData& data, const PromotionFacts& facts);

// The channel's file with the version in its list, in SemVer order; everything else stays as it is written.
Result<std::string> with_version(std::string_view channel_file, const SemVer& version);

json::Object to_json(const PromotionPlan& plan);
std::string to_text(const PromotionPlan& plan);

}  // namespace fairway::graph
