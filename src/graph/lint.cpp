#include "graph/lint.hpp"

#include <algorithm>

#include "graph/lint_parts.hpp"

namespace fairway::graph {
namespace linting {

LintRun::LintRun(const SourceFiles& files, const GraphData& tree, const LintOptions& lint_options,
                 Findings& findings)
    : data(tree), options(lint_options), findings_(findings) {
  for (const SourceFile& file : files) texts_.emplace(file.path, file.text);
  for (const Channel& channel : data.channels) {
    if (channel.is_internal) continue;
    for (const SemVer& version : channel.versions) known_versions.insert(plain_text(version));
  }
}

void LintRun::report(Severity severity, std::string id, const std::string& file,
                     std::initializer_list<std::string_view> keys, std::string message, std::string fix) {
  report_at(severity, std::move(id), file, keys.size() == 0 ? 0 : line_of_key(text_of(file), keys),
            std::move(message), std::move(fix));
}

void LintRun::report_at(Severity severity, std::string id, const std::string& file, std::size_t line,
                        std::string message, std::string fix) {
  findings_.push_back({.id = std::move(id),
                       .severity = severity,
                       .file = file,
                       .line = line,
                       .message = std::move(message),
                       .fix = std::move(fix)});
}

std::string_view LintRun::text_of(const std::string& file) const {
  const auto found = texts_.find(file);
  return found == texts_.end() ? std::string_view{} : found->second;
}

}  // namespace linting

Findings lint(const SourceFiles& files, const LintOptions& options) {
  GraphDataReading reading = read_graph_data(files);
  Findings findings = std::move(reading.findings);
  if (reading.data) {
    linting::LintRun run(files, *reading.data, options, findings);
    linting::lint_blocks(run);
    linting::lint_patterns(run);
    linting::lint_queries(run);
    linting::lint_channels(run);
    if (options.releases) linting::lint_graph(run);
  }
  sort_findings(findings);
  return findings;
}

}  // namespace fairway::graph
