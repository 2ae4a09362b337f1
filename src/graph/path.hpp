// find_path: how to get from one version to another over several updates.
//
// Dijkstra over pairs: fewest hops and, among those, fewest risks, or the other way round. A risk counts once
// for every update that it stands on, unless its name is accepted or the judge says that it does not apply;
// both are carried along in the answer. With channels, an update counts only when both versions are in one of
// them, and the answer says which channel to be in. Deterministic.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "graph/document.hpp"
#include "graph/verdict.hpp"
#include "json/value.hpp"

namespace fairway::graph {

struct PathRequest {
  enum class Objective { FewestHops, FewestRisks };

  std::string from;
  std::string to;
  std::vector<std::string> channels = {};  // at most 64; empty: whatever the document holds
  Objective objective = Objective::FewestHops;
  std::set<std::string, std::less<>> accepted = {};  // names of risks
  bool only_recommended = false;                     // no update with a risk that is left
  RiskJudge judge = {};                              // without it, every risk might apply
};

struct PathStep {
  std::string from;
  std::string to;
  std::string channel = {};             // to be in; empty without channels
  std::vector<std::string> risks = {};  // that are left
  std::vector<std::string> accepted = {};
  std::vector<std::string> not_applying = {};
};

struct Path {
  std::vector<PathStep> steps;

  std::vector<std::string> risks() const;  // distinct, sorted
};

// NotFound, with the highest version that can be reached, when there is no way; also for an unknown version.
Result<Path> find_path(const Document& document, const PathRequest& request);

std::string to_text(const Path& path);
json::Object to_json(const Path& path);

}  // namespace fairway::graph
