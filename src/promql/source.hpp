// Source: where the evaluator's samples come from. A seam with two implementations of ours (SeriesStore, all
// in memory; SampleRing, the last hour of a few metrics) and room for others.
//
// What select() returns points into the source, which must not change until the evaluation is over.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "promql/labels.hpp"
#include "promql/matcher.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {

struct SeriesView {
  Labels labels;
  std::span<const Sample> samples;  // by time, each time once; stale markers included
};

struct TimeSpan {
  Millis after = 0;  // not included
  Millis until = 0;  // included
};

class Source {
 public:
  virtual ~Source() = default;
  // The series that match all matchers and have a sample in the span, sorted by labels.
  virtual Result<std::vector<SeriesView>> select(std::span<const CompiledMatcher> matchers,
                                                 TimeSpan span) const = 0;
};

// The part of `samples`, which are sorted by time, that lies in the span.
std::span<const Sample> within(std::span<const Sample> samples, TimeSpan span);

}  // namespace fairway::promql
