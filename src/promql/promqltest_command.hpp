// The commands of promqltest, read from lines. Used by promqltest.cpp alone.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "promql/promqltest_series.hpp"
#include "promql/regex.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {

struct LoadCommand {
  Millis gap = 0;
  bool with_nhcb = false;  // classic histograms also as native ones with custom buckets
  std::vector<SeriesLine> series;
};

struct ClearCommand {};

// A text that a message must be, or a pattern that it must contain.
struct Expectation {
  std::string text;
  bool is_regex = false;
};

struct ExpectedSeries {
  std::size_t position = 0;  // from 1, for ordered results
  SeriesLine line;
};

struct EvalCommand {
  std::string query;
  bool is_range = false;
  Millis start = 0;  // of an instant query, its time
  Millis end = 0;
  Millis step = 0;
  bool ordered = false;
  bool fails = false;
  std::vector<Expectation> fail_messages;
  std::optional<std::vector<Expectation>> warnings, infos;  // given: there must be some, and all must fit
  bool no_warnings = false;
  bool no_infos = false;
  bool is_range_vector = false;  // an instant query whose result is a matrix: start, end and step are its own
  Millis evaluated_at = 0;
  std::optional<std::string> expected_text;
  std::optional<double> expected_scalar;
  std::vector<ExpectedSeries> expected;
};

struct TestCommand {
  std::size_t line = 0;
  std::variant<ClearCommand, LoadCommand, EvalCommand> command;
};

// The command that starts at `lines[index]`, which is not empty; `index` moves behind it, in any case.
Result<TestCommand> read_command(const std::vector<std::string>& lines, std::size_t& index);

}  // namespace fairway::promql
