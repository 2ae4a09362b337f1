// Metrics that queries are evaluated on here: files in Prometheus' text format or OpenMetrics, stdin, and
// what endpoints answer.
//
// Samples without a time of their own count as taken at one time: the one that is given, else that of the
// newest sample which tells its time, else now.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "promql/sample.hpp"
#include "promql/series_store.hpp"

namespace fairway::cli {

struct LoadedMetrics {
  promql::SeriesStore store;
  promql::Millis now = 0;
};

// `places` are files, "-" for stdin, or URLs; `at` is empty, or a time as parse_time() takes it.
Result<LoadedMetrics> load_metrics(const std::vector<std::string>& places, const std::string& at);

// Seconds since 1970, or 2024-02-29T12:00:00Z.
Result<promql::Millis> parse_time(const std::string& text);

}  // namespace fairway::cli
