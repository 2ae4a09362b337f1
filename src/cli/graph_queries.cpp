#include "cli/graph_queries.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/graph_source.hpp"
#include "promql/evaluator.hpp"
#include "promql/exposition.hpp"
#include "promql/lint.hpp"
#include "promql/parser.hpp"
#include "promql/series_store.hpp"
#include "promql/verdict.hpp"

namespace fairway::cli {
namespace {

// Rules about exactly one sample; a query of the service has one for every cluster.
bool is_about_one_sample(std::string_view id) {
  return id == promql::kManySeries || id == promql::kNoZero;
}

}  // namespace

std::vector<graph::QueryFinding> lint_query(std::string_view query, graph::QueryUse use) {
  std::vector<graph::QueryFinding> findings;
  for (const promql::Finding& finding : promql::lint(query).findings) {
    if (use == graph::QueryUse::ByService && is_about_one_sample(finding.id)) continue;
    const std::size_t start = std::min<std::size_t>(finding.span.start, query.size());
    findings.push_back(
        {.id = finding.id,
         .severity =
             finding.severity == promql::Severity::Error ? graph::Severity::Error : graph::Severity::Warning,
         .line = 1 + static_cast<std::size_t>(std::ranges::count(query.substr(0, start), '\n')),
         .message = finding.message,
         .fix = finding.fix});
  }
  return findings;
}

struct RecordedMetrics::State {
  promql::SeriesStore store;
  promql::Millis now = 0;
};

RecordedMetrics::RecordedMetrics(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordedMetrics::RecordedMetrics(RecordedMetrics&&) noexcept = default;
RecordedMetrics& RecordedMetrics::operator=(RecordedMetrics&&) noexcept = default;
RecordedMetrics::~RecordedMetrics() = default;

Result<RecordedMetrics> RecordedMetrics::read(const std::string& path) {
  FAIRWAY_TRY(const std::string text, read_text_file(path));
  const auto within = [&](Error error) {
    return std::unexpected(std::move(error).within(fmt::format("while reading {}", quoted(path))));
  };
  auto exposition = promql::read_exposition(text);
  if (!exposition) return within(std::move(exposition).error());
  auto state = std::make_unique<State>();
  state->now = exposition->newest.value_or(
      std::chrono::floor<std::chrono::milliseconds>(SystemClock().now().time_since_epoch()).count());
  if (auto stored = promql::store_exposition(*exposition, state->now, state->store); !stored)
    return within(std::move(stored).error());
  state->store.settle();
  return RecordedMetrics(std::move(state));
}

graph::RiskVerdict RecordedMetrics::judge(std::string_view query) const {
  const auto expr = promql::parse(query);
  if (!expr || promql::check_limits(*expr, {})) return graph::RiskVerdict::Unknown;
  const SystemClock clock;
  const auto verdict =
      promql::judge(promql::evaluate_instant(*expr, state_->store, state_->now, {.clock = &clock}));
  switch (verdict.kind) {
    case promql::Verdict::Kind::Applies:
      return graph::RiskVerdict::Applies;
    case promql::Verdict::Kind::DoesNotApply:
      return graph::RiskVerdict::DoesNotApply;
    case promql::Verdict::Kind::Unknown:
      break;
  }
  return graph::RiskVerdict::Unknown;
}

}  // namespace fairway::cli
