// The groups of checks behind lint(); only lint*.cpp include this.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "graph/graph_data.hpp"
#include "graph/lint.hpp"

namespace fairway::graph::linting {

// What the checks look at and where they report.
class LintRun {
 public:
  LintRun(const SourceFiles& files, const GraphData& data, const LintOptions& options, Findings& findings);

  const GraphData& data;
  const LintOptions& options;
  // Versions of all served channels, without build part.
  std::set<std::string, std::less<>> known_versions;

  // `keys` say where in the file, as line_of_key() takes them.
  void report(Severity severity, std::string id, const std::string& file,
              std::initializer_list<std::string_view> keys, std::string message, std::string fix);
  void report_at(Severity severity, std::string id, const std::string& file, std::size_t line,
                 std::string message, std::string fix);
  std::string_view text_of(const std::string& file) const;

 private:
  std::map<std::string_view, std::string_view> texts_;
  Findings& findings_;
};

void lint_blocks(LintRun& run);
void lint_patterns(LintRun& run);
void lint_queries(LintRun& run);
void lint_channels(LintRun& run);
// With releases.
void lint_graph(LintRun& run);

}  // namespace fairway::graph::linting
