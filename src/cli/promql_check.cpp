// fairway promql check: whether queries are valid, affordable, and fit to decide about a risk.
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/promql_batch.hpp"
#include "cli/promql_report.hpp"
#include "cli/promql_sources.hpp"
#include "cli/usage_error.hpp"
#include "promql/lint.hpp"

namespace fairway::cli {
namespace {

struct PromqlCheckSettings {
  std::vector<std::string> arguments;
  std::string output;
  std::vector<std::string> enabled;
  bool enable_all = false;
  bool batch = false;
  bool history_given = false;
  Duration history = std::chrono::hours(1);
  std::string known_metrics;
  promql::Limits limits;
};

promql::ParseOptions parse_options(const PromqlCheckSettings& settings) {
  if (settings.enable_all) return promql::ParseOptions::all_enabled();
  promql::ParseOptions options;
  for (const std::string& name : settings.enabled) {
    if (name == "functions") options.experimental_functions = true;
    if (name == "durations") options.duration_expressions = true;
    if (name == "ranges") options.extended_range_selectors = true;
    if (name == "fill") options.fill_modifiers = true;
  }
  return options;
}

// One name a line; in text exposition, what stands before the labels or the value. Comments are skipped.
std::set<std::string, std::less<>> metric_names(std::string_view text) {
  std::set<std::string, std::less<>> names;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    names.emplace(line.substr(0, line.find_first_of("{ \t")));
  }
  return names;
}

Result<promql::LintOptions> lint_options(const PromqlCheckSettings& settings) {
  promql::LintOptions options;
  options.parse = parse_options(settings);
  options.limits = settings.limits;
  if (settings.history_given) options.history = settings.history;
  if (!settings.known_metrics.empty()) {
    FAIRWAY_TRY(const std::string text, read_file(settings.known_metrics));
    options.known_metrics = metric_names(text);
  }
  return options;
}

struct Totals {
  std::size_t queries = 0;
  std::size_t with_errors = 0;
  std::size_t with_warnings = 0;

  void add(const promql::LintReport& report) {
    ++queries;
    if (report.has_errors()) {
      ++with_errors;
    } else if (report.has_warnings()) {
      ++with_warnings;
    }
  }
  int verdict() const { return with_errors > 0 ? 1 : with_warnings > 0 ? 2 : 0; }
};

Result<void> check_queries(const PromqlCheckSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const promql::LintOptions options, lint_options(settings));
  Totals totals;
  json::Array reports;
  const bool as_json = settings.output == "json";
  for (const std::string& argument : settings.arguments) {
    FAIRWAY_TRY(const auto queries, read_queries(argument, std::cin));
    if (queries.empty()) invocation.err << fmt::format("note: {} has no queries\n", argument);
    for (const QuerySource& source : queries) {
      const promql::LintReport report = promql::lint(source.text, options);
      totals.add(report);
      if (as_json) {
        reports.push_back(report_json(source, report));
      } else {
        invocation.out << report_text(source, report);
      }
    }
  }
  if (as_json) {
    const json::Object all{{"queries", std::move(reports)},
                           {"checked", totals.queries},
                           {"withErrors", totals.with_errors},
                           {"withWarnings", totals.with_warnings}};
    invocation.out << json::serialize_pretty(all) << '\n';
  } else if (totals.queries > 1) {
    invocation.out << fmt::format("{} queries: {} with errors, {} with warnings\n", totals.queries,
                                  totals.with_errors, totals.with_warnings);
  }
  invocation.verdict = totals.verdict();
  return {};
}

Result<void> run_promql_check(const PromqlCheckSettings& settings, Invocation& invocation) {
  if (!settings.batch) return check_queries(settings, invocation);
  std::ios::sync_with_stdio(false);
  return run_batch(std::cin, invocation.out, parse_options(settings));
}

constexpr const char* kPromqlCheckDescription =
    "Check queries: syntax, cost, and whether they can decide about a risk\n"
    "\n"
    "QUERY is a query, a file or folder of them, or - for stdin: .yaml files are graph data, .json files "
    "lists, any\n"
    "other file is one query. Ends with 0 when nothing was found, 1 for errors (the query is wrong or "
    "refused by a\n"
    "limit), 2 for warnings only. With --batch stdin has one query a line as a JSON string, each of which is "
    "answered\n"
    "by one line of JSON; syntax only.";

constexpr const char* kPromqlCheckExamples =
    "fairway promql check 'group(up == 0) or 0 * group(up)'\n"
    "\n"
    "# All risks of graph data, where samples are kept for an hour\n"
    "fairway promql check --history 1h graph-data/blocked-edges\n"
    "\n"
    "# For a program\n"
    "fairway promql check -o json query.promql\n"
    "\n"
    "# Compare parsers on many inputs\n"
    "fairway promql check --batch --enable-all <queries.jsonl >verdicts.jsonl";

void add_limit_options(CLI::App& command, promql::Limits& limits) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;
  number_option(command, "--max-text", limits.text_bytes, {1, kMost}, "The most bytes that a query may have");
  number_option(command, "--max-depth", limits.depth, {1, 100'000}, "The most levels that it may nest");
  number_option(command, "--max-nodes", limits.nodes, {1, kMost}, "The most nodes that it may have");
  number_option(command, "--max-selectors", limits.selectors, {1, kMost},
                "The most selectors that it may have");
  number_option(command, "--max-regex", limits.regex_bytes, {1, kMost},
                "The most bytes of a regular expression");
  number_option(command, "--max-regex-size", limits.regex_size, {1, kMost},
                "The most instructions of a regular expression");
  duration_option(command, "--max-range", limits.range, "The longest range");
  command.add_flag("--allow-subqueries", limits.allow_subqueries, "Do not refuse subqueries");
}

}  // namespace

void add_promql_check(CLI::App& promql, Invocation& invocation) {
  CLI::App& command = *promql.add_subcommand("check", kPromqlCheckDescription);
  command.group(kSubcommands);
  command.footer(kPromqlCheckExamples);
  auto settings = std::make_shared<PromqlCheckSettings>();
  command.add_option("QUERY", settings->arguments, "A query, a file or folder of queries, or - for stdin")
      ->type_name("FILE")
      ->take_all();
  choice(*command.add_option("-o,--output", settings->output, "For programs instead of people"), {"json"});
  choice(*command.add_option(
             "--enable", settings->enabled,
             "Turn on a part of the language that Prometheus has behind a switch; repeatable:\n"
             "experimental functions, duration expressions, extended ranges (anchored, smoothed),\n"
             "fill modifiers"),
         {"functions", "durations", "ranges", "fill"})
      .take_all()
      ->allow_extra_args(false);
  command.add_flag("--enable-all", settings->enable_all, "Turn on all four");
  command.add_flag("--batch", settings->batch, "Answer each line of stdin, a JSON string, by a line of JSON");
  command
      .add_option("--known-metrics", settings->known_metrics,
                  "Warn about metrics that this file does not name")
      ->type_name("FILE");
  duration_option(command, "--history", settings->history, "Warn about ranges that reach further back")
      .default_str("");
  add_limit_options(command, settings->limits);
  command.callback([&command, &invocation, settings] {
    if (settings->batch != settings->arguments.empty()) {
      refuse(settings->batch ? "--batch reads stdin: leave out the queries"
                             : "expected a query, a file, or - for stdin");
    }
    settings->history_given = command.count("--history") > 0;
    invocation.action = [&invocation, settings] { return run_promql_check(*settings, invocation); };
  });
}

}  // namespace fairway::cli
