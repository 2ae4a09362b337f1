// Evaluation: one run of a query, and the functions that compute each kind of node. Internal to the
// evaluator.
//
// Every function takes the steps at which the node is wanted and returns a Frame with that many cells a row.
// They call each other as the tree nests, which is bounded by EvalLimits::max_depth before the run starts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "promql/annotations.hpp"
#include "promql/ast.hpp"
#include "promql/budget.hpp"
#include "promql/evaluator.hpp"
#include "promql/frame.hpp"
#include "promql/source.hpp"

namespace fairway::promql {

struct Evaluation {
  const Expr& expr;
  const Source& source;
  const EvalOptions& options;
  QueryRange times;  // of the whole query: what start(), end(), step() and range() mean
  Budget budget;
  Annotations annotations = {};

  const Node& node(NodeId id) const { return expr.node(id); }
  // An argument without the parentheses around it.
  const Node& argument(const Call& call, std::size_t index) const {
    return expr.node(expr.unwrapped(call.args[index]));
  }
  std::string_view text_argument(const Call& call, std::size_t index) const;
  bool drops_names_now() const { return !options.delayed_name_removal; }
};

Result<Frame> evaluate_node(Evaluation& run, NodeId id, const Steps& steps);
// A scalar's value at each step.
Result<std::vector<double>> evaluate_scalar(Evaluation& run, NodeId id, const Steps& steps);

// When a selector or subquery looks: fixed by @, or moving with the steps.
struct LookTimes {
  std::optional<Millis> fixed;
  Millis offset = 0;

  Millis at(const Steps& steps, std::size_t step) const { return (fixed ? *fixed : steps.at(step)) - offset; }
};
Result<LookTimes> look_times(const Evaluation& run, const TimeModifiers& modifiers);
Result<Millis> resolve_millis(const Evaluation& run, const DurationSpec& duration, bool is_offset);

// eval_selector.cpp
Result<Frame> evaluate_selector(Evaluation& run, const VectorSelector& selector, const Steps& steps);
Result<Frame> evaluate_timestamps(Evaluation& run, const VectorSelector& selector, const Steps& steps);

// eval_range.cpp: a range vector and what functions make of it.
struct RangeSeries {
  Labels labels;
  std::span<const Sample> samples;  // without stale markers
  bool drop_name = false;           // as Frame::Row has it
};
struct RangeVector {
  std::vector<RangeSeries> series;
  std::vector<std::vector<Sample>> owned;  // what `series` shows, where it is not the source's
  LookTimes look;
  Millis range = 0;
  bool anchored = false;
  bool smoothed = false;
  std::size_t charged = 0;  // samples held, to be released
};
Result<RangeVector> evaluate_range_vector(Evaluation& run, const Node& node, const Steps& steps);
bool is_range_function(const Evaluation& run, const Call& call);
Result<Frame> evaluate_range_call(Evaluation& run, const Call& call, const Steps& steps);
// The samples themselves, sorted by labels, for a query that is only a range vector.
Result<std::vector<ResultSeries>> evaluate_matrix(Evaluation& run, const Node& node, const Steps& steps);

// eval_call.cpp
Result<Frame> evaluate_call(Evaluation& run, const Call& call, const Steps& steps);
// eval_math.cpp
Result<std::optional<Frame>> evaluate_math(Evaluation& run, const Call& call, const Steps& steps);
// eval_labels.cpp
Result<Frame> evaluate_label_replace(Evaluation& run, const Call& call, const Steps& steps);
Result<Frame> evaluate_label_join(Evaluation& run, const Call& call, const Steps& steps);
// eval_sort.cpp
Result<Frame> evaluate_sort(Evaluation& run, const Call& call, const Steps& steps, bool descending);
Result<Frame> evaluate_sort_by_label(Evaluation& run, const Call& call, const Steps& steps, bool descending);
// eval_histogram.cpp
Result<Frame> evaluate_histogram_quantile(Evaluation& run, const Call& call, const Steps& steps);
Result<Frame> evaluate_histogram_quantiles(Evaluation& run, const Call& call, const Steps& steps);
Result<Frame> evaluate_histogram_fraction(Evaluation& run, const Call& call, const Steps& steps);
// eval_info.cpp
Result<Frame> evaluate_info(Evaluation& run, const Call& call, const Steps& steps);
// aggregate.cpp, aggregate_k.cpp
Result<Frame> evaluate_aggregate(Evaluation& run, const Aggregate& aggregate, const Steps& steps);
Result<Frame> evaluate_selection(Evaluation& run, const Aggregate& aggregate, const Steps& steps);
Result<Frame> evaluate_count_values(Evaluation& run, const Aggregate& aggregate, const Steps& steps);
// binary_ops.cpp, binary_match.cpp
Result<Frame> evaluate_binary(Evaluation& run, const Node& node, const Binary& binary, const Steps& steps);
Result<Frame> match_vectors(Evaluation& run, const Node& node, const Binary& binary, const Frame& left,
                            const Frame& right);
Result<Frame> combine_sets(Evaluation& run, const Binary& binary, Frame left, Frame right);

// The result of an operator on two numbers; not kept when a comparison is false.
struct Outcome {
  double value = 0;
  bool keep = true;
};
Outcome apply(BinaryOp op, double left, double right);
// Whether the result is another quantity than the metric says: its name goes.
bool changes_meaning(BinaryOp op);

// Drops the metric names of all rows, now or at the end; rows that become equal are merged.
Result<Frame> drop_names(Evaluation& run, Frame frame);
// A frame of one row without labels.
Result<Frame> single_row(Evaluation& run, const Steps& steps, double value);
// Labels that a selector fixes by equality: what absent() answers with.
Labels labels_of_absent(const Evaluation& run, const Node& argument);

// Equal for series that belong together: `by`/`on` compare the labels named, `without`/`ignoring` all others.
class Grouping {
 public:
  Grouping(bool by, std::span<const std::string_view> names);

  // Appends to `key` what is compared.
  void append_key(const Labels& labels, std::string& key) const;
  // The labels of a group; of `without` the metric name is gone.
  Labels labels(const Labels& labels) const { return by_ ? labels.keep(names_) : labels.drop(names_); }

  bool is_single() const { return by_ && names_.empty(); }
  bool by() const { return by_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool by_;
  std::vector<std::string> names_;  // sorted
};

}  // namespace fairway::promql
