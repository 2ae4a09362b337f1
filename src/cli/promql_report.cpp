#include "cli/promql_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "promql/go_text.hpp"
#include "promql/printer.hpp"

namespace fairway::cli {
namespace {

std::size_t rune_count(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    text.remove_prefix(promql::decode_rune(text).width);
    ++count;
  }
  return count;
}

std::string_view severity_name(promql::Severity severity) {
  return severity == promql::Severity::Error ? "error" : "warning";
}

struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

Place place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto last_break = before.rfind('\n');
  const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
  return {static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1, before.size() - line_start + 1};
}

}  // namespace

std::string excerpt(std::string_view text, promql::Span span) {
  const std::size_t start = std::min<std::size_t>(span.start, text.size());
  const auto break_before = text.substr(0, start).rfind('\n');
  const std::size_t begin = break_before == std::string_view::npos ? 0 : break_before + 1;
  const std::size_t end = std::min(text.find('\n', start), text.size());
  std::string line(text.substr(begin, end - begin));
  std::ranges::replace_if(line, [](char c) { return c == '\t' || c == '\r'; }, ' ');
  // A very long line is cut to the neighbourhood of the place.
  constexpr std::size_t kBefore = 80;
  constexpr std::size_t kWidth = 160;
  std::size_t at = start - begin;
  if (at > kBefore) {
    std::size_t cut = at - kBefore;
    while (cut < at && (static_cast<unsigned char>(line[cut]) & 0xC0U) == 0x80U) ++cut;
    line.erase(0, cut);
    at -= cut;
  }
  line = promql::truncate_runes(line, kWidth);
  const std::size_t covered = std::min<std::size_t>(span.end > span.start ? span.end - span.start : 1,
                                                    line.size() - std::min(at, line.size()));
  const std::size_t width =
      std::max<std::size_t>(1, rune_count(std::string_view(line).substr(std::min(at, line.size()), covered)));
  return fmt::format("    {}\n    {:>{}}{}\n", line, "", rune_count(std::string_view(line).substr(0, at)),
                     "^" + std::string(width - 1, '~'));
}

std::string report_text(const QuerySource& source, const promql::LintReport& report) {
  if (report.findings.empty()) {
    return fmt::format("{}: ok, {}{}\n", source.name, promql::documented(report.expr->type()),
                       report.at_most_one_series ? ", at most one series" : "");
  }
  std::string out;
  for (const promql::Finding& finding : report.findings) {
    out += fmt::format("{}:{}: {}: {} [{}]\n", source.name,
                       promql::describe_position(source.text, finding.span.start),
                       severity_name(finding.severity), finding.message, finding.id);
    out += excerpt(source.text, finding.span);
    if (!finding.fix.empty()) out += fmt::format("    fix: {}\n", finding.fix);
  }
  return out;
}

json::Object report_json(const QuerySource& source, const promql::LintReport& report) {
  json::Array findings;
  for (const promql::Finding& finding : report.findings) {
    const Place place = place_of(source.text, finding.span.start);
    json::Object entry{{"id", finding.id},           {"severity", severity_name(finding.severity)},
                       {"message", finding.message}, {"line", place.line},
                       {"column", place.column},     {"start", finding.span.start},
                       {"end", finding.span.end}};
    if (!finding.fix.empty()) entry["fix"] = finding.fix;
    findings.push_back(std::move(entry));
  }
  json::Object out{{"source", source.name}, {"query", source.text}, {"ok", !report.has_errors()}};
  if (report.expr) {
    out["canon"] = promql::to_string(*report.expr);
    out["type"] = promql::to_string(report.expr->type());
    out["atMostOneSeries"] = report.at_most_one_series;
  }
  out["findings"] = std::move(findings);
  return out;
}

}  // namespace fairway::cli
