#include "graph/what_if.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

bool is_target(const SemVer& version, const Block& block, std::string_view arch) {
  return is_meant_for(block, arch) && version.compare_precedence(block.to) == std::strong_ordering::equal;
}

void add_block(const Block& block, const QueryJudge& judge, UpdateChange& change) {
  if (block.is_unconditional()) {
    change.after = UpdateState::Absent;
    change.risks.clear();
    return;
  }
  if (block.query) {
    change.risks.push_back(block.name);
    if (change.after == UpdateState::Recommended) change.after = UpdateState::Unknown;
  }
  if (block.rules.empty()) return;
  const Risk risk = block.risk();
  weigh_risk(risk, judge_risk(risk, judge), change.after, change.risks);
}

}  // namespace

Result<LoneBlock> read_lone_block(std::string_view yaml) {
  LoneBlock lone;
  auto block = read_block({"blocked-edges/what-if.yaml", std::string(yaml)}, lone.patterns, lone.findings);
  if (!block) {
    std::vector<std::string> texts;
    for (const Finding& finding : lone.findings) {
      if (!finding.refuses) continue;
      const std::string place = finding.line == 0 ? "" : fmt::format("line {}: ", finding.line);
      const std::string fix = finding.fix.empty() ? "" : fmt::format(" ({})", finding.fix);
      texts.push_back(place + finding.message + fix);
    }
    return fail(ErrorCode::Invalid, join(texts, "; "));
  }
  lone.block = *std::move(block);
  return lone;
}

bool concerns(const LoneBlock& lone, std::string_view version, std::string_view arch) {
  return lone.patterns.matches(lone.block.pattern, fmt::format("{}+{}", version, arch));
}

std::vector<UpdateChange> what_if(const Document& served, std::string_view version, std::string_view arch,
                                  const LoneBlock& lone, const QueryJudge& judge) {
  std::vector<UpdateChange> changes;
  const auto from = served.find(version);
  if (!from || !concerns(lone, version, arch)) return changes;
  for (const Document::Edge& edge : served.edges_from(*from)) {
    const Document::Node& target = served.nodes[edge.to];
    if (!is_target(target.version, lone.block, arch)) continue;
    UpdateChange change{.to = target.text, .before = UpdateState::Recommended};
    if (edge.is_conditional()) {
      for (const std::uint32_t risk : served.risk_lists[edge.risks])
        weigh_risk(served.risks[risk], judge_risk(served.risks[risk], judge), change.before, change.risks);
    }
    change.after = change.before;
    add_block(lone.block, judge, change);
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace fairway::graph
