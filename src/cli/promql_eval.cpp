// fairway promql eval: a query's answer to metrics in files, and what it says about a risk.
#include <fmt/format.h>
#include <ostream>

#include "base/clock.hpp"
#include "cli/command.hpp"
#include "cli/metrics_source.hpp"
#include "cli/options.hpp"
#include "cli/usage_error.hpp"
#include "json/value.hpp"
#include "promql/evaluator.hpp"
#include "promql/explain.hpp"
#include "promql/parser.hpp"
#include "promql/result_format.hpp"
#include "promql/verdict.hpp"

namespace fairway::cli {
namespace {

struct PromqlEvalSettings {
  std::string query;
  std::vector<std::string> metrics;
  std::string at;
  std::string start;
  std::string end;
  Duration step = std::chrono::minutes(1);
  bool is_range = false;
  bool explain = false;
  bool enable_all = false;
  std::string output;
  promql::EvalLimits limits = {.max_time = std::chrono::seconds(10)};
};

json::Array annotation_texts(const promql::QueryResult& result, promql::Annotation::Kind kind,
                             std::string_view query) {
  json::Array texts;
  for (const promql::Annotation& annotation : result.annotations) {
    if (annotation.kind == kind) texts.emplace_back(describe(annotation, query));
  }
  return texts;
}

// The envelope of Prometheus' API, and beside it what only Fairway says.
json::Object to_envelope(const Result<promql::QueryResult>& result, std::string_view query) {
  if (!result) {
    const bool is_timeout = result.error().code == ErrorCode::Timeout;
    return {{"status", "error"},
            {"errorType", is_timeout ? "timeout" : "execution"},
            {"error", result.error().describe()}};
  }
  json::Object envelope{{"status", "success"}, {"data", to_json(*result)}};
  auto warnings = annotation_texts(*result, promql::Annotation::Kind::Warning, query);
  auto infos = annotation_texts(*result, promql::Annotation::Kind::Info, query);
  if (!warnings.empty()) envelope["warnings"] = std::move(warnings);
  if (!infos.empty()) envelope["infos"] = std::move(infos);
  return envelope;
}

struct Answer {
  Result<promql::QueryResult> result;
  std::optional<promql::Verdict> verdict = {};  // of instant queries
  std::optional<promql::ExplainedNode> tree = {};
};

void print_json(const PromqlEvalSettings& settings, const Answer& answer, Invocation& invocation) {
  json::Object envelope = to_envelope(answer.result, settings.query);
  if (answer.verdict) {
    json::Object verdict{{"verdict", to_string(answer.verdict->kind)}};
    if (!answer.verdict->reason.empty()) verdict["reason"] = answer.verdict->reason;
    envelope["risk"] = std::move(verdict);
  }
  if (answer.tree) envelope["explanation"] = to_json(*answer.tree);
  invocation.out << json::serialize_pretty(envelope) << '\n';
}

void print_text(const PromqlEvalSettings& settings, const Answer& answer, Invocation& invocation) {
  if (answer.tree) invocation.out << to_text(*answer.tree) << '\n';
  if (answer.result) {
    const std::string text = to_text(*answer.result);
    invocation.out << (text.empty() ? "no series\n" : text);
    for (const promql::Annotation& annotation : answer.result->annotations) {
      invocation.err << fmt::format("note: {}\n", describe(annotation, settings.query));
    }
  }
  if (!answer.verdict) return;
  invocation.out << fmt::format("risk: {}", to_string(answer.verdict->kind));
  if (!answer.verdict->reason.empty()) invocation.out << fmt::format(" ({})", answer.verdict->reason);
  invocation.out << '\n';
}

Result<Answer> answer_query(const PromqlEvalSettings& settings, const promql::Expr& expr) {
  FAIRWAY_TRY(const LoadedMetrics loaded, load_metrics(settings.metrics, settings.at));
  const SystemClock clock;
  const promql::EvalOptions options{.limits = settings.limits, .clock = &clock};
  if (settings.is_range) {
    promql::QueryRange range{loaded.now, loaded.now, 0};
    FAIRWAY_TRY(range.start, parse_time(settings.start));
    if (!settings.end.empty()) {
      FAIRWAY_TRY(range.end, parse_time(settings.end));
    }
    range.step = std::chrono::floor<std::chrono::milliseconds>(settings.step).count();
    return Answer{evaluate_range(expr, loaded.store, range, options)};
  }
  Answer answer{fail(ErrorCode::Internal, "not evaluated")};
  if (settings.explain) {
    promql::Explanation explanation = explain(expr, loaded.store, loaded.now, {.eval = options});
    answer.result = std::move(explanation.result);
    answer.tree = std::move(explanation.tree);
  } else {
    answer.result = evaluate_instant(expr, loaded.store, loaded.now, options);
  }
  answer.verdict = promql::judge(answer.result);
  return answer;
}

Result<void> run_promql_eval(const PromqlEvalSettings& settings, Invocation& invocation) {
  const auto expr = promql::parse(
      settings.query, settings.enable_all ? promql::ParseOptions::all_enabled() : promql::ParseOptions{});
  if (!expr) return std::unexpected(expr.error().to_error(settings.query));
  FAIRWAY_TRY(const Answer answer, answer_query(settings, *expr));
  if (settings.output == "json") {
    print_json(settings, answer, invocation);
  } else {
    print_text(settings, answer, invocation);
  }
  if (!answer.result) return std::unexpected(answer.result.error());
  return {};
}

constexpr const char* kDescription =
    "Evaluate a query on metrics in files, and say whether a risk with this query applies\n"
    "\n"
    "FILE is what a metrics endpoint answers, in Prometheus' text format or OpenMetrics; - is stdin, and "
    "the\n"
    "URL of an endpoint is asked. Samples "
    "without a time count as taken at --at. A risk applies when the answer is exactly one sample of value "
    "1,\n"
    "does not when it is 0, and is unknown otherwise. Ends with 1 when the query cannot be evaluated.";

constexpr const char* kExamples =
    "fairway promql eval 'group(up == 0) or 0 * group(up)' --metrics metrics.txt\n"
    "\n"
    "# Why does it match here?\n"
    "fairway promql eval \"$QUERY\" --metrics metrics.txt --explain\n"
    "\n"
    "# Over time, as the API of Prometheus answers\n"
    "fairway promql eval 'rate(x_total[5m])' --metrics dump.om --start 1709208000 --end 1709211600 --step 1m "
    "-o json";

}  // namespace

void add_promql_eval(CLI::App& promql, Invocation& invocation) {
  CLI::App& command = *promql.add_subcommand("eval", kDescription);
  command.group(kSubcommands);
  command.footer(kExamples);
  auto settings = std::make_shared<PromqlEvalSettings>();
  command.add_option("QUERY", settings->query, "The query")->required();
  command.add_option("--metrics", settings->metrics, "Metrics to evaluate it on; repeatable")
      ->type_name("FILE")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--at", settings->at, "When: a time of RFC 3339, or seconds since 1970")
      ->type_name("TIME")
      ->default_str("the newest sample's time, or now");
  command.add_flag("--explain", settings->explain, "Show the value of every sub-expression");
  command.add_option("--start", settings->start, "Evaluate from this time to --end, at every --step")
      ->type_name("TIME");
  command.add_option("--end", settings->end, "The last time")->type_name("TIME")->default_str("--at");
  duration_option(command, "--step", settings->step, "The time between two evaluations");
  choice(*command.add_option("-o,--output", settings->output, "For people, or as Prometheus' API answers"),
         {"text", "json"})
      .default_str("text");
  command.add_flag("--enable-all", settings->enable_all,
                   "Turn on what Prometheus has behind switches: experimental functions and the like");
  number_option(command, "--max-samples", settings->limits.max_samples, {1, std::uint64_t{1} << 32U},
                "The most samples that the query may hold at once");
  duration_option(command, "--timeout", settings->limits.max_time, "How long it may compute");
  command.callback([&command, &invocation, settings] {
    settings->is_range = !settings->start.empty();
    if (!settings->is_range && (command.count("--end") > 0 || command.count("--step") > 0)) {
      refuse("--end and --step need --start");
    }
    if (settings->is_range && settings->explain) {
      refuse("--explain is of one time: leave out --start");
    }
    settings->limits.max_bytes = std::max(settings->limits.max_bytes, settings->limits.max_samples * 64);
    invocation.action = [&invocation, settings] { return run_promql_eval(*settings, invocation); };
  });
}

}  // namespace fairway::cli
