// Duration expressions: what stands in brackets and after `offset` when it is more than a literal.
//
// Durations compute in seconds as doubles, as Prometheus does; the result must fit its nanoseconds. Constant
// expressions are folded by the parser; resolve_duration() also knows the query's step and range.
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "promql/ast.hpp"

namespace fairway::promql {

struct QueryTimes {
  Duration step = Duration::zero();   // of a range query; zero for an instant query
  Duration range = Duration::zero();  // its end minus its start
};

// The value of a range, step or offset. A range or step must be positive, which `must_be_positive` asks for.
Result<Duration> resolve_duration(const Expr& expr, const DurationSpec& spec, const QueryTimes& times,
                                  bool must_be_positive);

// Over the parser's table of nodes; an error names what has no value.
Result<double> evaluate_seconds(std::span<const DurationNode> nodes, DurationId root,
                                const QueryTimes& times);
bool depends_on_query(std::span<const DurationNode> nodes, DurationId root);

// Seconds beyond this do not fit into nanoseconds.
inline constexpr double kMostSeconds = 9223372036854775808.0 / 1e9;
Duration to_duration(double seconds);
// `foo offset NaN` is valid PromQL: the offset is what Go makes of that number on amd64.
inline constexpr Duration kNotANumber = Duration::min();

}  // namespace fairway::promql
