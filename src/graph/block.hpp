// Block: one file of blocked-edges, read: which updates it speaks against, for whom, and why.
//
// Three kinds, told apart by what is left after reading. Without rules and query: nobody is recommended the
// update. With rules (`matchingRules`): each cluster decides. With a query (`clusters.promql`): the service
// decides by the client's id, and what it allows goes on to the rules, if there are any. Anything that names
// `to` and `from` legibly but is not understood further becomes the first kind: it fails closed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/semver.hpp"
#include "graph/finding.hpp"
#include "graph/patterns.hpp"
#include "graph/source_file.hpp"
#include "json/value.hpp"

namespace fairway::graph {

// One entry of matchingRules.
struct Rule {
  std::string type;         // Always, PromQL, or one that is not known here
  std::string promql = {};  // of type PromQL
  json::Object wire = {};   // as it is served; an unknown type's verbatim

  bool operator==(const Rule& other) const {
    return type == other.type && json::same_value(wire, other.wire);
  }
};

Rule always_rule();
Rule promql_rule(std::string query);

// Why an update may not be for a cluster, as clients see it.
struct Risk {
  std::string url;
  std::string name;
  std::string message;
  std::vector<Rule> rules;

  bool operator==(const Risk&) const = default;
};

// {"url":…,"name":…,"message":…,"matchingRules":[…]}
json::Object to_json(const Risk& risk);
Result<Risk> read_risk(const json::Object& object);

struct Block {
  std::string file;
  SemVer to;
  std::string from;
  PatternId pattern = 0;  // of `from`
  std::string url = {};
  std::string name = {};
  std::string message = {};
  std::vector<Rule> rules = {};           // decided on the cluster
  std::optional<std::string> query = {};  // decided by the service: clusters.promql
  std::optional<SemVer> fixed_in = {};
  bool auto_extend = false;

  bool is_unconditional() const { return rules.empty() && !query; }
  bool has_reason() const { return !url.empty() && !name.empty() && !message.empty(); }
  Risk risk() const { return {url, name, message, rules}; }
};

// Whether it speaks about releases for this architecture: that of its version, or all.
bool is_meant_for(const Block& block, std::string_view arch);

// Whether a file below blocked-edges/ is meant as a block: by its extension, or because it is named after a
// version.
bool is_block_file(std::string_view path);

// The file's block, or nothing and a finding that refuses. Everything odd becomes a finding.
std::optional<Block> read_block(const SourceFile& file, Patterns& patterns, Findings& findings);

}  // namespace fairway::graph
