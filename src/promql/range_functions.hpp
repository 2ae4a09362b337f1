// The functions of range vectors, as a table from their names to kernels. Internal to the evaluator.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "promql/evaluation.hpp"
#include "promql/kernels.hpp"

namespace fairway::promql {

struct RangeArguments {
  std::array<double, 2> scalars = {};  // in the order of the signature
  bool anchored = false;
  bool smoothed = false;
};

struct RangeFunction {
  std::string_view name;
  std::optional<double> (*compute)(const Window& window, const RangeArguments& arguments) = nullptr;
  bool keeps_name = false;
  bool wants_counter = false;  // worth a note when the name does not look like one
  bool anchored = false;       // may be used with the modifier
  bool smoothed = false;
  bool uses_now = false;  // depends on the time of evaluation, not only on the samples
};

const RangeFunction* find_range_function(std::string_view name);  // null for others

// Refuses or remarks on scalar arguments outside their range.
Result<void> check_scalars(Evaluation& run, const RangeFunction& function,
                           const std::vector<std::vector<double>>& scalars, Span range_argument);

}  // namespace fairway::promql
