#include "promql/promqltest.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.hpp"
#include "promql/evaluator.hpp"
#include "promql/parser.hpp"
#include "promql/promqltest_command.hpp"
#include "promql/series_store.hpp"

namespace fairway::promql {
namespace {

constexpr double kEpsilon = 0.000001;
constexpr Millis kMinute = 60'000;

using Problem = std::optional<std::string>;  // none: as expected

bool fits(const Expectation& expectation, const std::string& text) {
  return expectation.is_regex ? re2::RE2::PartialMatch(text, expectation.text) : text == expectation.text;
}

const ExpectedSeries* find_expected(const EvalCommand& command, const Labels& labels) {
  // Of two lines for one series the last counts.
  const auto found = std::find_if(command.expected.rbegin(), command.expected.rend(),
                                  [&](const ExpectedSeries& series) { return series.line.labels == labels; });
  return found == command.expected.rend() ? nullptr : &*found;
}

Problem check_all_found(const EvalCommand& command, const std::vector<ResultSeries>& result) {
  for (const ExpectedSeries& series : command.expected) {
    const bool found = std::any_of(result.begin(), result.end(), [&](const ResultSeries& actual) {
      return actual.labels == series.line.labels;
    });
    if (!found) return fmt::format("expected metric {} not found", series.line.labels.to_metric());
  }
  return std::nullopt;
}

Problem check_vector(const EvalCommand& command, const std::vector<ResultSeries>& result, bool in_order) {
  if (command.expected_scalar) return "expected scalar result, but got vector";
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Labels& labels = result[i].labels;
    const double value = result[i].samples.front().value;
    const ExpectedSeries* expected = find_expected(command, labels);
    if (!expected) {
      return fmt::format("unexpected metric {} in result, has value {}", labels.to_metric(),
                         format_general(value));
    }
    if (command.ordered && in_order && expected->position != i + 1) {
      return fmt::format("expected metric {} at position {} but was at {}", labels.to_metric(),
                         expected->position, i + 1);
    }
    if (expected->line.has_histograms) return "native histograms are not supported";
    if (expected->line.values.empty()) return fmt::format("no value given for {}", labels.to_metric());
    if (!almost_equal(expected->line.values.front().value, value, kEpsilon)) {
      return fmt::format("expected {} for {} but got {}", format_general(expected->line.values.front().value),
                         labels.to_metric(), format_general(value));
    }
  }
  return check_all_found(command, result);
}

std::string show(const std::vector<Sample>& samples) {
  std::string text;
  for (const Sample& sample : samples) {
    text += fmt::format("{}{} @[{}]", text.empty() ? "" : " ", format_general(sample.value), sample.time);
  }
  return text;
}

Problem check_points(const EvalCommand& command, const ExpectedSeries& expected, const ResultSeries& actual) {
  std::vector<Sample> wanted;
  for (std::size_t i = 0; i < expected.line.values.size(); ++i) {
    const Millis time = command.start + static_cast<Millis>(i) * command.step;
    if (time > command.end) {
      return fmt::format("expected {} points for {}, but query time range cannot return this many points",
                         expected.line.values.size(), actual.labels.to_metric());
    }
    if (!expected.line.values[i].omitted) wanted.push_back({time, expected.line.values[i].value});
  }
  const bool same =
      wanted.size() == actual.samples.size() &&
      std::equal(wanted.begin(), wanted.end(), actual.samples.begin(),
                 [](const Sample& left, const Sample& right) {
                   return left.time == right.time && almost_equal(left.value, right.value, kEpsilon);
                 });
  if (same) return std::nullopt;
  return fmt::format("expected {} for {}, but got {}", show(wanted), actual.labels.to_metric(),
                     show(actual.samples));
}

Problem check_matrix(const EvalCommand& command, const std::vector<ResultSeries>& result) {
  if (command.ordered) return "expected ordered result, but query returned a matrix";
  if (command.expected_scalar) return "expected scalar result, but got matrix";
  for (const ResultSeries& actual : result) {
    const ExpectedSeries* expected = find_expected(command, actual.labels);
    if (!expected) {
      return fmt::format("unexpected metric {} in result, has {}", actual.labels.to_metric(),
                         show(actual.samples));
    }
    if (expected->line.has_histograms) return "native histograms are not supported";
    if (auto problem = check_points(command, *expected, actual)) return problem;
  }
  return check_all_found(command, result);
}

Problem check_result(const EvalCommand& command, const QueryResult& result) {
  switch (result.type) {
    case ValueType::Vector:
      return check_vector(command, result.series, true);
    case ValueType::Matrix:
      return check_matrix(command, result.series);
    case ValueType::String:
      if (result.text == command.expected_text.value_or("")) return std::nullopt;
      return fmt::format("expected string {} but got {}", quoted(command.expected_text.value_or("")),
                         quoted(result.text));
    default:
      break;
  }
  if (!command.expected_scalar)
    return fmt::format("expected vector or matrix result, but got scalar {}",
                       format_general(result.scalar.value));
  if (almost_equal(*command.expected_scalar, result.scalar.value, kEpsilon)) return std::nullopt;
  return fmt::format("expected scalar {} but got {}", format_general(*command.expected_scalar),
                     format_general(result.scalar.value));
}

Problem check_annotations_of(std::string_view kind, const std::optional<std::vector<Expectation>>& expected,
                             bool none_expected, const std::vector<std::string>& actual) {
  if (none_expected && !actual.empty())
    return fmt::format("unexpected {} annotation {}", kind, quoted(actual[0]));
  if (!expected) return std::nullopt;
  if (actual.empty()) return fmt::format("expected {} annotations but none were found", kind);
  for (const Expectation& expectation : *expected) {
    if (std::none_of(actual.begin(), actual.end(),
                     [&](const auto& text) { return fits(expectation, text); })) {
      return fmt::format("expected {} annotation {} but found {}", kind, quoted(expectation.text),
                         fmt::format("{}", fmt::join(actual, "; ")));
    }
  }
  if (expected->empty()) return std::nullopt;  // eval_warn and eval_info: any
  for (const std::string& text : actual) {
    if (std::none_of(expected->begin(), expected->end(), [&](const auto& e) { return fits(e, text); })) {
      return fmt::format("unexpected {} annotation {}", kind, quoted(text));
    }
  }
  return std::nullopt;
}

Problem check_annotations(const EvalCommand& command, const QueryResult& result) {
  std::vector<std::string> warnings, infos;
  for (const Annotation& annotation : result.annotations) {
    (annotation.kind == Annotation::Kind::Warning ? warnings : infos).push_back(annotation.text);
  }
  if (auto problem = check_annotations_of("warn", command.warnings, command.no_warnings, warnings))
    return problem;
  return check_annotations_of("info", command.infos, command.no_infos, infos);
}

bool has_context_functions(const std::string& query) {
  return re2::RE2::PartialMatch(query, R"((start|end|range|step)\(\))");
}

class Runner {
 public:
  explicit Runner(const TestOptions& options) {
    eval_options_.delayed_name_removal = options.delayed_name_removal;
    eval_options_.limits.max_depth = 250;
  }

  Problem run(const TestCommand& command) {
    if (const auto* load = std::get_if<LoadCommand>(&command.command)) return run_load(*load);
    if (const auto* eval = std::get_if<EvalCommand>(&command.command)) return run_eval(*eval);
    store_.clear();
    return std::nullopt;
  }

 private:
  Problem run_load(const LoadCommand& load) {
    bool has_histograms = load.with_nhcb;
    for (const SeriesLine& series : load.series) {
      has_histograms = has_histograms || series.has_histograms;
      Millis time = 0;
      for (const SequenceValue& value : series.values) {
        if (!value.omitted) {
          if (const auto added = store_.add(series.labels, {time, value.value}); !added) {
            return added.error().describe();
          }
        }
        time += load.gap;
      }
    }
    store_.settle();
    if (has_histograms) return "native histograms are not supported: only the float samples were loaded";
    return std::nullopt;
  }

  Problem run_eval(const EvalCommand& command) {
    const auto expr = parse(command.query, ParseOptions::all_enabled());
    if (!expr) return check_failure(command, expr.error().to_error(command.query));
    const auto result =
        command.is_range
            ? evaluate_range(*expr, store_, {command.start, command.end, command.step}, eval_options_)
            : evaluate_instant(*expr, store_, command.evaluated_at, eval_options_);
    if (!result) return check_failure(command, result.error());
    if (command.fails) return "expected error evaluating query but got none";
    if (auto problem = check_annotations(command, *result)) return problem;
    if (auto problem = check_result(command, *result)) return problem;
    return command.is_range ? std::nullopt : run_in_range(command, *expr, result->type);
  }

  static Problem check_failure(const EvalCommand& command, const Error& error) {
    if (!command.fails) return fmt::format("error evaluating query: {}", error.describe());
    for (const Expectation& expectation : command.fail_messages) {
      if (!fits(expectation, error.message)) {
        return fmt::format("expected error {}, but got: {}", quoted(expectation.text), error.message);
      }
    }
    return std::nullopt;
  }

  // The same query at the middle of three steps must answer the same.
  Problem run_in_range(const EvalCommand& command, const Expr& expr, ValueType type) {
    if (command.is_range_vector || command.expected_text || has_context_functions(command.query)) {
      return std::nullopt;
    }
    const Millis at = command.evaluated_at;
    auto result = evaluate_range(expr, store_, {at - kMinute, at + kMinute, kMinute}, eval_options_);
    if (!result) return fmt::format("error evaluating query in range mode: {}", result.error().describe());
    std::vector<ResultSeries> middle;
    for (const ResultSeries& series : result->series) {
      for (const Sample& sample : series.samples) {
        if (sample.time == at) middle.push_back({series.labels, {sample}});
      }
    }
    Problem problem;
    if (type == ValueType::Scalar) {
      problem = check_result(command, {.type = type, .scalar = middle.at(0).samples.at(0)});
    } else if (!command.ordered) {
      problem = check_vector(command, middle, false);
    }
    if (problem) *problem += " (in range mode)";
    return problem;
  }

  SeriesStore store_;
  EvalOptions eval_options_;
};

std::vector<std::string> clean_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view content = trim(line);
    lines.emplace_back(content.starts_with('#') ? std::string_view{} : content);
  }
  return lines;
}

}  // namespace

bool almost_equal(double left, double right, double epsilon) {
  constexpr double kLeastNormal = std::numeric_limits<double>::min();
  if (is_stale(left) || is_stale(right)) return is_stale(left) && is_stale(right);
  if (std::isnan(left) && std::isnan(right)) return true;
  if (left == right) return true;
  const double sum = std::abs(left) + std::abs(right);
  const double difference = std::abs(left - right);
  if (left == 0 || right == 0 || sum < kLeastNormal) return difference < epsilon * kLeastNormal;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < epsilon;
}

TestReport run_promqltest(std::string_view text, const TestOptions& options) {
  TestReport report;
  Runner runner(options);
  const auto lines = clean_lines(text);
  for (std::size_t index = 0; index < lines.size();) {
    if (lines[index].empty()) {
      ++index;
      continue;
    }
    const std::size_t line = index + 1;
    const auto command = read_command(lines, index);
    const Problem problem = command ? runner.run(*command) : Problem(command.error().describe());
    if (problem) {
      report.failures.push_back({line, fmt::format("{}: {}", lines[line - 1], *problem)});
    } else if (std::holds_alternative<EvalCommand>(command->command)) {
      ++report.passed;
    }
  }
  return report;
}

}  // namespace fairway::promql
