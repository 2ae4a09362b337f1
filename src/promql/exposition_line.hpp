// One line of an exposition: a sample, or a comment with a meaning. Used by exposition.cpp alone.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "promql/labels.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {

struct LineError {
  std::size_t column = 0;  // from 1, in bytes
  std::string message;
};

struct SampleLine {
  Labels labels;
  std::optional<Millis> time;
  double value = 0;
};

std::expected<SampleLine, LineError> read_sample_line(std::string_view line, bool open_metrics);

// `# TYPE name type`: an unknown type is an error. All other comments say nothing about samples.
std::optional<LineError> check_comment(std::string_view line);

}  // namespace fairway::promql
