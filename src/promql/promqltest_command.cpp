#include "promql/promqltest_command.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "promql/go_text.hpp"

namespace fairway::promql {
namespace {

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::Invalid, std::move(message));
}

Result<Millis> read_duration(std::string_view text) {
  const auto duration = parse_prometheus_duration(trim(text));
  if (!duration)
    return refuse(fmt::format("expected a duration, found {}: {}", quoted(text), duration.error()));
  return std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count();
}

// The word at the start, taken off with the blanks behind it.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trim(text.substr(end));
  return word;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "from A to B step S", with or without a query behind.
Result<void> read_times(std::string_view& text, EvalCommand& command) {
  for (const auto& [word, into] :
       {std::pair{std::string_view("from"), &command.start}, std::pair{std::string_view("to"), &command.end},
        std::pair{std::string_view("step"), &command.step}}) {
    if (take_word(text) != word) return refuse(fmt::format("expected {} and a duration", quoted(word)));
    FAIRWAY_TRY(*into, read_duration(take_word(text)));
  }
  if (command.end < command.start) return refuse("expected the end not before the start");
  if (command.step <= 0) return refuse("expected a step longer than zero");
  return {};
}

Result<void> apply_mode(std::string_view mode, EvalCommand& command) {
  if (mode.empty()) return {};
  if (mode == "_fail") {
    command.fails = true;
  } else if (mode == "_ordered" && !command.is_range) {
    command.ordered = true;
  } else if (mode == "_warn") {
    command.warnings.emplace();
  } else if (mode == "_info") {
    command.infos.emplace();
  } else {
    return refuse(fmt::format("expected eval, eval_fail, eval_warn, eval_info or eval_ordered, found {}",
                              quoted(fmt::format("eval{}", mode))));
  }
  return {};
}

Result<Expectation> read_expectation(std::string_view text) {
  if (text.empty()) return Expectation{"", true};
  if (take_prefix(text, "msg:")) return Expectation{std::string(trim(text)), false};
  if (take_prefix(text, "regex:")) {
    const std::string pattern(trim(text));
    if (const auto regex = check_regex(pattern); !regex) return refuse(regex.error());
    return Expectation{pattern, true};
  }
  return refuse(fmt::format("expected \"msg:\" or \"regex:\", found {}", quoted(text)));
}

Result<void> read_expect_range_vector(std::string_view text, EvalCommand& command) {
  command.evaluated_at = command.start;
  FAIRWAY_CHECKED(read_times(text, command));
  command.evaluated_at = command.end;
  command.is_range_vector = true;
  return {};
}

Result<void> read_expect(std::string_view text, EvalCommand& command) {
  const std::string_view kind = take_word(text);
  if (kind == "string") {
    const bool is_quoted = text.size() >= 2 &&
                           std::string_view("\"'`").find(text.front()) != std::string_view::npos &&
                           text.back() == text.front();
    if (!is_quoted) return refuse("expected a text in quotes after \"expect string\"");
    command.expected_text = unquote(text);
    return {};
  }
  if (kind == "range" && take_word(text) == "vector") return read_expect_range_vector(text, command);
  FAIRWAY_TRY(Expectation expectation, read_expectation(text));
  if (kind == "ordered") {
    command.ordered = true;
  } else if (kind == "fail") {
    command.fails = true;
    command.fail_messages.push_back(std::move(expectation));
  } else if (kind == "warn" || kind == "info") {
    auto& into = kind == "warn" ? command.warnings : command.infos;
    if (!into) into.emplace();
    into->push_back(std::move(expectation));
  } else if (kind == "no_warn") {
    command.no_warnings = true;
  } else if (kind == "no_info") {
    command.no_infos = true;
  } else {
    return refuse(fmt::format("unknown expectation {}", quoted(kind)));
  }
  return {};
}

Result<void> read_eval_line(std::string_view line, EvalCommand& command) {
  if (command.fails && take_prefix(line, "expected_fail_message")) {
    command.fail_messages.push_back({std::string(trim(line)), false});
    return {};
  }
  if (command.fails && take_prefix(line, "expected_fail_regexp")) {
    command.fail_messages.push_back({std::string(trim(line)), true});
    return {};
  }
  if (take_prefix(line, "expect ")) return read_expect(trim(line), command);
  if (const auto number = parse_number(line)) {
    command.expected_scalar = *number;
    return {};
  }
  if (const auto number = parse_value(line)) {
    command.expected_scalar = number;
    return {};
  }
  FAIRWAY_TRY(SeriesLine series, parse_series_line(line));
  if (series.values.size() > 1 && !command.is_range && !command.is_range_vector) {
    return refuse("expecting multiple values in instant evaluation not allowed: see \"expect range vector\"");
  }
  command.expected.push_back({command.expected.size() + 1, std::move(series)});
  return {};
}

Result<EvalCommand> read_eval_head(std::string_view line) {
  EvalCommand command;
  const std::string_view head = take_word(line);
  const std::string_view kind = take_word(line);
  command.is_range = kind == "range";
  FAIRWAY_CHECKED(apply_mode(head.substr(std::string_view("eval").size()), command));
  if (command.is_range) {
    FAIRWAY_CHECKED(read_times(line, command));
  } else if (kind == "instant") {
    if (line.starts_with("at ") || line.starts_with("at\t")) {
      take_word(line);
      FAIRWAY_TRY(command.start, read_duration(take_word(line)));
    }
    command.evaluated_at = command.start;
  } else {
    return refuse(fmt::format("expected \"instant\" or \"range\", found {}", quoted(kind)));
  }
  command.query = line;
  if (command.query.empty()) return refuse("expected a query");
  return command;
}

// The lines of a block reach to the next empty one, which comments become.
template <class Read>
Result<void> each_line(const std::vector<std::string>& lines, std::size_t& index, Read read) {
  Result<void> result;
  for (; index < lines.size() && !lines[index].empty(); ++index) {
    if (!result) continue;  // the rest of a broken command is not another command
    result = read(lines[index]);
    if (!result)
      result = std::unexpected(std::move(result).error().within(fmt::format("line {}", index + 1)));
  }
  return result;
}

Result<EvalCommand> read_eval(const std::vector<std::string>& lines, std::size_t& index) {
  auto command = read_eval_head(lines[index++]);
  FAIRWAY_CHECKED(each_line(lines, index, [&](std::string_view line) {
    return command ? read_eval_line(line, *command) : Result<void>{};
  }));
  return command;
}

Result<LoadCommand> read_load(const std::vector<std::string>& lines, std::size_t& index) {
  std::string_view line = lines[index++];
  LoadCommand command;
  const std::string head = to_lower(take_word(line));
  command.with_nhcb = head == "load_with_nhcb";
  auto gap = read_duration(line);
  FAIRWAY_CHECKED(each_line(lines, index, [&](std::string_view text) -> Result<void> {
    FAIRWAY_TRY(SeriesLine series, parse_series_line(text));
    command.series.push_back(std::move(series));
    return {};
  }));
  if (head != "load" && !command.with_nhcb) return refuse(fmt::format("unknown command {}", quoted(head)));
  FAIRWAY_TRY(command.gap, std::move(gap));
  return command;
}

}  // namespace

Result<TestCommand> read_command(const std::vector<std::string>& lines, std::size_t& index) {
  TestCommand result{index + 1, ClearCommand{}};
  std::string_view line = lines[index];
  const std::string word = to_lower(take_word(line));
  if (word.starts_with("load")) {
    FAIRWAY_TRY(result.command, read_load(lines, index));
  } else if (word.starts_with("eval")) {
    FAIRWAY_TRY(result.command, read_eval(lines, index));
  } else {
    ++index;
    if (word != "clear") return refuse(fmt::format("expected load, clear or eval, found {}", quoted(word)));
  }
  return result;
}

}  // namespace fairway::promql
