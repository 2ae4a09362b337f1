// The evaluator: a parsed query and a source of samples to a result, as Prometheus 3 computes it.
//
// Pure: time, limits and samples are given. Errors carry the official wording ("vector cannot contain metrics
// with the same labelset"); what exceeds a limit is refused with the limit and both numbers. Samples are
// floats: native histograms are not supported, and functions that need them say so. Not thread-safe while one
// evaluation runs, but any number may run on one Source.
//
//   FAIRWAY_TRY(const auto result, evaluate_instant(*parse("up == 1"), store, now, {.clock = &clock}));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "promql/annotations.hpp"
#include "promql/ast.hpp"
#include "promql/budget.hpp"
#include "promql/frame.hpp"
#include "promql/labels.hpp"
#include "promql/sample.hpp"
#include "promql/source.hpp"

namespace fairway::promql {

// Told the value of each sub-expression as it is computed; see explain.hpp.
class EvalObserver {
 public:
  virtual ~EvalObserver() = default;
  virtual void saw_value(NodeId id, const Steps& steps, const Frame& frame) = 0;
  virtual void saw_range(NodeId id, std::size_t series, std::size_t samples) = 0;
};

struct EvalOptions {
  Millis lookback = 5 * 60 * 1000;   // how old a sample may be that a selector finds
  Millis subquery_step = 60 * 1000;  // of a subquery that names none
  bool delayed_name_removal =
      false;  // names are dropped at the very end, as a feature flag of Prometheus has it
  EvalLimits limits = {};
  const Clock* clock = nullptr;  // for limits.max_time
  std::function<bool()> cancelled = {};
  EvalObserver* observer = nullptr;  // not owned
};

struct ResultSeries {
  Labels labels;
  std::vector<Sample> samples;  // one, for a vector

  bool operator==(const ResultSeries&) const = default;
};

struct QueryResult {
  ValueType type = ValueType::None;  // Vector, Matrix, Scalar or String
  std::vector<ResultSeries> series;  // of a vector in its order; of a matrix sorted by labels
  Sample scalar;
  std::string text;  // of a string
  std::vector<Annotation> annotations;
  std::size_t peak_samples = 0;
};

struct QueryRange {
  Millis start = 0;
  Millis end = 0;
  Millis step = 0;
};

Result<QueryResult> evaluate_instant(const Expr& expr, const Source& source, Millis at,
                                     const EvalOptions& options = {});
Result<QueryResult> evaluate_range(const Expr& expr, const Source& source, const QueryRange& range,
                                   const EvalOptions& options = {});

}  // namespace fairway::promql
