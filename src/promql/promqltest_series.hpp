// The series notation of promqltest: `up{job="api"} 0+10x5 _ stale 3`. Used by promqltest.cpp alone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "promql/labels.hpp"

namespace fairway::promql {

struct SequenceValue {
  double value = 0;
  bool omitted = false;  // `_`: no sample at this step
};

struct SeriesLine {
  Labels labels;
  std::vector<SequenceValue> values;
  bool has_histograms = false;  // `{{…}}` was found; those values are omitted
};

Result<SeriesLine> parse_series_line(std::string_view line);

}  // namespace fairway::promql
