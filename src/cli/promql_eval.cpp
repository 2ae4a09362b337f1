// fairway promql eval: a query's answer to metrics in files, and what it says about a risk.
#include <fmt/format.h>
#include <iostream>

#include "base/clock.hpp"
#include "base/text.hpp"
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

// What is asked; times as parse_time() takes them, empty for the metrics' own.
struct Question {
  std::string query;
  std::string at;
  std::string start;  // not empty: of a range
  std::string end;
  Duration step = std::chrono::minutes(1);
};

struct PromqlEvalSettings {
  Question question;
  std::vector<std::string> metrics;
  bool batch = false;
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

json::Object to_json(const Answer& answer, std::string_view query) {
  json::Object envelope = to_envelope(answer.result, query);
  if (answer.verdict) {
    json::Object verdict{{"verdict", to_string(answer.verdict->kind)}};
    if (!answer.verdict->reason.empty()) verdict["reason"] = answer.verdict->reason;
    envelope["risk"] = std::move(verdict);
  }
  if (answer.tree) envelope["explanation"] = to_json(*answer.tree);
  return envelope;
}

void print_text(std::string_view query, const Answer& answer, Invocation& invocation) {
  if (answer.tree) invocation.out << to_text(*answer.tree) << '\n';
  if (answer.result) {
    const std::string text = to_text(*answer.result);
    invocation.out << (text.empty() ? "no series\n" : text);
    for (const promql::Annotation& annotation : answer.result->annotations) {
      invocation.err << fmt::format("note: {}\n", describe(annotation, query));
    }
  }
  if (!answer.verdict) return;
  invocation.out << fmt::format("risk: {}", to_string(answer.verdict->kind));
  if (!answer.verdict->reason.empty()) invocation.out << fmt::format(" ({})", answer.verdict->reason);
  invocation.out << '\n';
}

promql::ParseOptions parse_options(const PromqlEvalSettings& settings) {
  return settings.enable_all ? promql::ParseOptions::all_enabled() : promql::ParseOptions{};
}

Result<Answer> answer_question(const PromqlEvalSettings& settings, const Question& question,
                               const promql::Expr& expr, const LoadedMetrics& loaded) {
  const SystemClock clock;
  const promql::EvalOptions options{.limits = settings.limits, .clock = &clock};
  promql::Millis now = loaded.now;
  if (!question.at.empty()) {
    FAIRWAY_TRY(now, parse_time(question.at));
  }
  if (!question.start.empty()) {
    promql::QueryRange range{now, now, 0};
    FAIRWAY_TRY(range.start, parse_time(question.start));
    if (!question.end.empty()) {
      FAIRWAY_TRY(range.end, parse_time(question.end));
    }
    range.step = std::chrono::floor<std::chrono::milliseconds>(question.step).count();
    return Answer{evaluate_range(expr, loaded.store, range, options)};
  }
  Answer answer{fail(ErrorCode::Internal, "not evaluated")};
  if (settings.explain) {
    promql::Explanation explanation = explain(expr, loaded.store, now, {.eval = options});
    answer.result = std::move(explanation.result);
    answer.tree = std::move(explanation.tree);
  } else {
    answer.result = evaluate_instant(expr, loaded.store, now, options);
  }
  answer.verdict = promql::judge(answer.result);
  return answer;
}

// {"query":…,"time":…}, or with start, end and step in seconds: the parameters of Prometheus' API.
Result<Question> read_question(std::string_view line) {
  FAIRWAY_TRY(const json::Object given, json::parse_object(line));
  Question question;
  const auto text = [&](std::string_view name) {
    return std::string(json::get_string(given, {name}).value_or(""));
  };
  question.query = text("query");
  question.at = text("time");
  question.start = text("start");
  question.end = text("end");
  if (question.query.empty()) return fail(ErrorCode::Invalid, "expected a query");
  if (const std::string step = text("step"); !step.empty()) {
    const auto seconds = parse_double(step);
    if (!seconds || !(*seconds > 0 && *seconds < 1e9))
      return fail(ErrorCode::Invalid, fmt::format("step: expected seconds, found {}", quoted(step)));
    question.step = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
  }
  return question;
}

json::Object answer_line(const PromqlEvalSettings& settings, std::string_view line,
                         const LoadedMetrics& loaded) {
  const auto question = read_question(line);
  if (!question) return to_envelope(std::unexpected(question.error()), "");
  const auto expr = promql::parse(question->query, parse_options(settings));
  if (!expr) return to_envelope(std::unexpected(expr.error().to_error(question->query)), question->query);
  const auto answer = answer_question(settings, *question, *expr, loaded);
  if (!answer) return to_envelope(std::unexpected(answer.error()), question->query);
  return to_json(*answer, question->query);
}

Result<void> answer_lines(const PromqlEvalSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const LoadedMetrics loaded, load_metrics(settings.metrics, settings.question.at));
  for (std::string line; std::getline(std::cin, line);)
    invocation.out << json::serialize(answer_line(settings, line, loaded)) << '\n' << std::flush;
  return {};
}

Result<void> run_promql_eval(const PromqlEvalSettings& settings, Invocation& invocation) {
  if (settings.batch) return answer_lines(settings, invocation);
  const Question& question = settings.question;
  const auto expr = promql::parse(question.query, parse_options(settings));
  if (!expr) return std::unexpected(expr.error().to_error(question.query));
  FAIRWAY_TRY(const LoadedMetrics loaded, load_metrics(settings.metrics, question.at));
  FAIRWAY_TRY(const Answer answer, answer_question(settings, question, *expr, loaded));
  if (settings.output == "json") {
    invocation.out << json::serialize_pretty(to_json(answer, question.query)) << '\n';
  } else {
    print_text(question.query, answer, invocation);
  }
  if (!answer.result) return std::unexpected(answer.result.error());
  return {};
}

constexpr const char* kPromqlEvalDescription =
    "Evaluate a query on metrics in files, and say whether a risk with this query applies\n"
    "\n"
    "FILE is what a metrics endpoint answers, in Prometheus' text format or OpenMetrics; - is stdin, and "
    "the\n"
    "URL of an endpoint is asked. Samples "
    "without a time count as taken at --at. A risk applies when the answer is exactly one sample of value "
    "1,\n"
    "does not when it is 0, and is unknown otherwise. Ends with 1 when the query cannot be evaluated.";

constexpr const char* kPromqlEvalExamples =
    "fairway promql eval 'group(up == 0) or 0 * group(up)' --metrics metrics.txt\n"
    "\n"
    "# Why does it match here?\n"
    "fairway promql eval \"$QUERY\" --metrics metrics.txt --explain\n"
    "\n"
    "# Many questions on the same metrics\n"
    "echo '{\"query\": \"up\", \"time\": \"1709208000\"}' | fairway promql eval --batch --metrics dump.om\n"
    "\n"
    "# Over time, as the API of Prometheus answers\n"
    "fairway promql eval 'rate(x_total[5m])' --metrics dump.om --start 1709208000 --end 1709211600 --step 1m "
    "-o json";

}  // namespace

void add_promql_eval(CLI::App& promql, Invocation& invocation) {
  CLI::App& command = *promql.add_subcommand("eval", kPromqlEvalDescription);
  command.group(kSubcommands);
  command.footer(kPromqlEvalExamples);
  auto settings = std::make_shared<PromqlEvalSettings>();
  Question& question = settings->question;
  command.add_option("QUERY", question.query, "The query");
  command.add_option("--metrics", settings->metrics, "Metrics to evaluate it on; repeatable")
      ->type_name("FILE")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--at", question.at, "When: a time of RFC 3339, or seconds since 1970")
      ->type_name("TIME")
      ->default_str("the newest sample's time, or now");
  command.add_flag(
      "--batch", settings->batch,
      "Answer each line of stdin, parameters of Prometheus' API as a JSON object, by a line of JSON");
  command.add_flag("--explain", settings->explain, "Show the value of every sub-expression");
  command.add_option("--start", question.start, "Evaluate from this time to --end, at every --step")
      ->type_name("TIME");
  command.add_option("--end", question.end, "The last time")->type_name("TIME")->default_str("--at");
  duration_option(command, "--step", question.step, "The time between two evaluations");
  choice(*command.add_option("-o,--output", settings->output, "For people, or as Prometheus' API answers"),
         {"text", "json"})
      .default_str("text");
  command.add_flag("--enable-all", settings->enable_all,
                   "Turn on what Prometheus has behind switches: experimental functions and the like");
  number_option(command, "--max-samples", settings->limits.max_samples, {1, std::uint64_t{1} << 32U},
                "The most samples that the query may hold at once");
  duration_option(command, "--timeout", settings->limits.max_time, "How long it may compute");
  command.callback([&command, &invocation, settings] {
    const bool is_range = !settings->question.start.empty();
    if (settings->batch != settings->question.query.empty()) {
      refuse(settings->batch ? "--batch reads stdin: leave out the query"
                             : "expected a query, or --batch with questions on stdin");
    }
    if (settings->batch && (is_range || settings->explain || !settings->output.empty())) {
      refuse(
          "--batch: times are in the questions and answers are JSON; leave out --start, --explain and "
          "--output");
    }
    if (!is_range && (command.count("--end") > 0 || command.count("--step") > 0)) {
      refuse("--end and --step need --start");
    }
    if (is_range && settings->explain) {
      refuse("--explain is of one time: leave out --start");
    }
    settings->limits.max_bytes = std::max(settings->limits.max_bytes, settings->limits.max_samples * 64);
    invocation.action = [&invocation, settings] { return run_promql_eval(*settings, invocation); };
  });
}

}  // namespace fairway::cli
