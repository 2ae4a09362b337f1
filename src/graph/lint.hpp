// lint: every check of a graph-data tree that needs no network.
//
// Reads the tree and reports, beside what the reader finds in single files, what only shows across files:
// names, risks that differ between their files, channels that should contain one another, patterns that match
// more than they seem to, versions that no channel has. With releases, also what the graph makes of it.
// PromQL is checked by the function that is given; each distinct query once. Every finding has a stable id;
// docs/graph.md lists them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/finding.hpp"
#include "graph/release.hpp"
#include "graph/source_file.hpp"

namespace fairway::graph {

// What is wrong with one query.
struct QueryFinding {
  std::string id;  // "zero-branch": reported as promql-zero-branch
  Severity severity = Severity::Error;
  std::size_t line = 1;  // within the query
  std::string message = {};
  std::string fix = {};
};

enum class QueryUse {
  OnCluster,  // a matching rule: exactly one sample, 1 or 0
  ByService,  // clusters.promql: one sample for each id
};
using QueryLint = std::function<std::vector<QueryFinding>(std::string_view query, QueryUse use)>;

struct LintOptions {
  QueryLint lint_query = {};                          // without it, queries are not looked at
  std::optional<std::vector<Release>> releases = {};  // without them, only the tree itself is checked
  std::optional<std::string> errata_pattern =
      {};  // what the url of every release that is not a pre-release matches
};

// Sorted by file and line.
Findings lint(const SourceFiles& files, const LintOptions& options);

}  // namespace fairway::graph
