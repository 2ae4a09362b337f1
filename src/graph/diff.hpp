// diff: what one graph offers that another does not.
//
// Compares by version, so that graphs from anywhere can be compared. An edge is absent, recommended or
// conditional on named risks; risks that keep their names but not their text count as changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/document.hpp"
#include "json/value.hpp"

namespace fairway::graph {

struct EdgeState {
  bool exists = false;
  std::vector<std::string> risks = {};  // names; none: recommended

  bool operator==(const EdgeState&) const = default;
};

struct EdgeChange {
  std::string from;
  std::string to;
  EdgeState before;
  EdgeState after;  // equal to `before` when only the risks' texts changed
};

struct Diff {
  std::vector<std::string> added = {};  // versions
  std::vector<std::string> removed = {};
  std::vector<std::string> changed = {};  // with another payload
  std::vector<EdgeChange> edges = {};

  bool is_empty() const { return added.empty() && removed.empty() && changed.empty() && edges.empty(); }
};

Diff diff(const Document& before, const Document& after);

std::string to_text(const Diff& diff);
json::Object to_json(const Diff& diff);

}  // namespace fairway::graph
