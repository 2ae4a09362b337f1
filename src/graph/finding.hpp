// Finding: one thing that is wrong, or worth knowing, about graph data or releases.
//
// Every check of this folder reports findings instead of stopping at the first: each has a stable id, a
// severity, the file and, where known, the line, one sentence and what to do about it. A finding that refuses
// means that the data must not be used at all; the caller keeps what it had before.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace fairway::graph {

enum class Severity { Error, Warning, Info };

std::string_view to_string(Severity severity);

struct Finding {
  std::string id;  // "block-from-regex": stable, to search for and to filter by
  Severity severity = Severity::Error;
  std::string file = {};  // path within the tree; empty when it is about the whole
  std::size_t line = 0;   // counted from one; 0 when not known
  std::string message = {};
  std::string fix = {};
  bool refuses = false;

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

std::size_t count(std::span<const Finding> findings, Severity severity);
bool any_refuses(std::span<const Finding> findings);
// By file, line, id, message: the same findings always come in the same order.
void sort_findings(Findings& findings);

// "blocked-edges/4.7.4.yaml:3: error: … (fix) [id]"
std::string to_text(const Finding& finding);
// A workflow command of GitHub Actions; `root` is put before the file's path.
std::string to_github(const Finding& finding, std::string_view root);
json::Object to_json(const Finding& finding);

}  // namespace fairway::graph
