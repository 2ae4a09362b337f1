// Exposition: what a metrics endpoint answers, read into samples. Both formats that Prometheus scrapes: its
// own text format (times in milliseconds) and OpenMetrics (times in seconds, ends with `# EOF`, may carry
// exemplars, which are skipped). Names and label names may be quoted UTF-8 in either.
//
// Pure and bounded: lines, series and bytes have limits, and a refusal names the line and column of what is
// wrong. Nothing of a text with an error is used.
//
//   FAIRWAY_TRY(const auto exposed, read_exposition(text));
//   FAIRWAY_CHECKED(store_exposition(exposed, now, store));
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "promql/labels.hpp"
#include "promql/sample.hpp"
#include "promql/series_store.hpp"

namespace fairway::promql {

enum class ExpositionFormat {
  Detect,  // OpenMetrics when the last line is `# EOF`
  Text,
  OpenMetrics,
};

struct ExpositionOptions {
  ExpositionFormat format = ExpositionFormat::Detect;
  std::size_t max_bytes = 256 * 1024 * 1024;
  std::size_t max_line_bytes = 1024 * 1024;
  std::size_t max_samples = 1'000'000;
};

struct ExposedSample {
  Labels labels;
  std::optional<Millis> time;  // none: when it was scraped
  double value = 0;
  std::size_t line = 0;  // from 1
};

struct Exposition {
  std::vector<ExposedSample> samples;
  std::optional<Millis> newest;  // of the times that are written out
};

Result<Exposition> read_exposition(std::string_view text, const ExpositionOptions& options = {});

// Adds the samples; one without a time counts as taken at `scraped`. An error when two lines give one series
// different values at the same time.
Result<void> store_exposition(const Exposition& exposition, Millis scraped, SeriesStore& store);

}  // namespace fairway::promql
