#include "promql/functions.hpp"

#include <algorithm>
#include <array>

namespace fairway::promql {
namespace {

using enum ValueType;

constexpr std::array<ValueType, 1> kMatrix = {Matrix};
constexpr std::array<ValueType, 2> kMatrixScalar = {Matrix, Scalar};
constexpr std::array<ValueType, 3> kMatrixScalarScalar = {Matrix, Scalar, Scalar};
constexpr std::array<ValueType, 1> kScalar = {Scalar};
constexpr std::array<ValueType, 2> kScalarMatrix = {Scalar, Matrix};
constexpr std::array<ValueType, 2> kScalarScalar = {Scalar, Scalar};
constexpr std::array<ValueType, 3> kScalarScalarVector = {Scalar, Scalar, Vector};
constexpr std::array<ValueType, 2> kScalarVector = {Scalar, Vector};
constexpr std::array<ValueType, 1> kVector = {Vector};
constexpr std::array<ValueType, 2> kVectorScalar = {Vector, Scalar};
constexpr std::array<ValueType, 3> kVectorScalarScalar = {Vector, Scalar, Scalar};
constexpr std::array<ValueType, 2> kVectorString = {Vector, String};
constexpr std::array<ValueType, 4> kVectorStringScalarScalar = {Vector, String, Scalar, Scalar};
constexpr std::array<ValueType, 4> kVectorStringStringString = {Vector, String, String, String};
constexpr std::array<ValueType, 5> kVectorStringStringStringString = {Vector, String, String, String, String};
constexpr std::array<ValueType, 2> kVectorVector = {Vector, Vector};

constexpr bool kExperimental = true;

// Sorted by name.
constexpr std::array<Function, 89> kFunctions = {{
    {"abs", kVector, 0, Vector},
    {"absent", kVector, 0, Vector},
    {"absent_over_time", kMatrix, 0, Vector},
    {"acos", kVector, 0, Vector},
    {"acosh", kVector, 0, Vector},
    {"asin", kVector, 0, Vector},
    {"asinh", kVector, 0, Vector},
    {"atan", kVector, 0, Vector},
    {"atanh", kVector, 0, Vector},
    {"avg_over_time", kMatrix, 0, Vector},
    {"ceil", kVector, 0, Vector},
    {"changes", kMatrix, 0, Vector},
    {"clamp", kVectorScalarScalar, 0, Vector},
    {"clamp_max", kVectorScalar, 0, Vector},
    {"clamp_min", kVectorScalar, 0, Vector},
    {"cos", kVector, 0, Vector},
    {"cosh", kVector, 0, Vector},
    {"count_over_time", kMatrix, 0, Vector},
    {"day_of_month", kVector, 1, Vector},
    {"day_of_week", kVector, 1, Vector},
    {"day_of_year", kVector, 1, Vector},
    {"days_in_month", kVector, 1, Vector},
    {"deg", kVector, 0, Vector},
    {"delta", kMatrix, 0, Vector},
    {"deriv", kMatrix, 0, Vector},
    {"double_exponential_smoothing", kMatrixScalarScalar, 0, Vector, kExperimental},
    {"end", {}, 0, Scalar, kExperimental},
    {"exp", kVector, 0, Vector},
    {"first_over_time", kMatrix, 0, Vector, kExperimental},
    {"floor", kVector, 0, Vector},
    {"histogram_avg", kVector, 0, Vector},
    {"histogram_count", kVector, 0, Vector},
    {"histogram_fraction", kScalarScalarVector, 0, Vector},
    {"histogram_quantile", kScalarVector, 0, Vector},
    {"histogram_quantiles", kVectorStringScalarScalar, 9, Vector, kExperimental},
    {"histogram_stddev", kVector, 0, Vector},
    {"histogram_stdvar", kVector, 0, Vector},
    {"histogram_sum", kVector, 0, Vector},
    {"hour", kVector, 1, Vector},
    {"idelta", kMatrix, 0, Vector},
    {"increase", kMatrix, 0, Vector},
    {"info", kVectorVector, 1, Vector, kExperimental},
    {"irate", kMatrix, 0, Vector},
    {"label_join", kVectorStringStringString, -1, Vector},
    {"label_replace", kVectorStringStringStringString, 0, Vector},
    {"last_over_time", kMatrix, 0, Vector},
    {"ln", kVector, 0, Vector},
    {"log10", kVector, 0, Vector},
    {"log2", kVector, 0, Vector},
    {"mad_over_time", kMatrix, 0, Vector, kExperimental},
    {"max_of", kScalarScalar, 0, Scalar, kExperimental},
    {"max_over_time", kMatrix, 0, Vector},
    {"min_of", kScalarScalar, 0, Scalar, kExperimental},
    {"min_over_time", kMatrix, 0, Vector},
    {"minute", kVector, 1, Vector},
    {"month", kVector, 1, Vector},
    {"pi", {}, 0, Scalar},
    {"predict_linear", kMatrixScalar, 0, Vector},
    {"present_over_time", kMatrix, 0, Vector},
    {"quantile_over_time", kScalarMatrix, 0, Vector},
    {"rad", kVector, 0, Vector},
    {"range", {}, 0, Scalar, kExperimental},
    {"rate", kMatrix, 0, Vector},
    {"resets", kMatrix, 0, Vector},
    {"round", kVectorScalar, 1, Vector},
    {"scalar", kVector, 0, Scalar},
    {"sgn", kVector, 0, Vector},
    {"sin", kVector, 0, Vector},
    {"sinh", kVector, 0, Vector},
    {"sort", kVector, 0, Vector},
    {"sort_by_label", kVectorString, -1, Vector, kExperimental},
    {"sort_by_label_desc", kVectorString, -1, Vector, kExperimental},
    {"sort_desc", kVector, 0, Vector},
    {"sqrt", kVector, 0, Vector},
    {"start", {}, 0, Scalar, kExperimental},
    {"stddev_over_time", kMatrix, 0, Vector},
    {"stdvar_over_time", kMatrix, 0, Vector},
    {"step", {}, 0, Scalar, kExperimental},
    {"sum_over_time", kMatrix, 0, Vector},
    {"tan", kVector, 0, Vector},
    {"tanh", kVector, 0, Vector},
    {"time", {}, 0, Scalar},
    {"timestamp", kVector, 0, Vector},
    {"ts_of_first_over_time", kMatrix, 0, Vector, kExperimental},
    {"ts_of_last_over_time", kMatrix, 0, Vector, kExperimental},
    {"ts_of_max_over_time", kMatrix, 0, Vector, kExperimental},
    {"ts_of_min_over_time", kMatrix, 0, Vector, kExperimental},
    {"vector", kScalar, 0, Vector},
    {"year", kVector, 1, Vector},
}};
static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

}  // namespace

const Function* find_function(std::string_view name) {
  const auto at = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  return at != kFunctions.end() && at->name == name ? &*at : nullptr;
}

std::span<const Function> all_functions() {
  return kFunctions;
}

}  // namespace fairway::promql
