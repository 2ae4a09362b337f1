#include "promql/range_functions.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fairway::promql {
namespace {

using Value = std::optional<double>;

template <double (*Kernel)(const Window&)>
Value of(const Window& window, const RangeArguments&) {
  return Kernel(window);
}

template <bool IsCounter, bool IsPerSecond>
Value change(const Window& window, const RangeArguments& arguments) {
  constexpr RateKind kKind{IsCounter, IsPerSecond};
  if (arguments.anchored || arguments.smoothed) return extended_rate(window, kKind, arguments.smoothed);
  return extrapolated_rate(window, kKind);
}

// An anchored window also holds what lies before the range: only the last sample of that counts.
std::span<const Sample> anchored_samples(const Window& window, const RangeArguments& arguments) {
  if (!arguments.anchored) return window.samples;
  if (window.samples.back().time <= window.start) return {};
  const auto first = std::find_if(window.samples.begin(), window.samples.end(),
                                  [&](const Sample& sample) { return sample.time > window.start; });
  const auto before = static_cast<std::size_t>(first - window.samples.begin());
  return window.samples.subspan(before == 0 ? 0 : before - 1);
}

template <double (*Kernel)(std::span<const Sample>)>
Value count_of(const Window& window, const RangeArguments& arguments) {
  const auto samples = anchored_samples(window, arguments);
  if (samples.empty()) return std::nullopt;
  return Kernel(samples);
}

// Sorted by name.
constexpr RangeFunction kFunctions[] = {
    {.name = "avg_over_time", .compute = of<avg_over_time>},
    {.name = "changes", .compute = count_of<changes>, .anchored = true},
    {.name = "count_over_time",
     .compute = [](const Window& w, const RangeArguments&) -> Value { return w.samples.size(); }},
    {.name = "delta", .compute = change<false, false>, .anchored = true, .smoothed = true},
    {.name = "deriv", .compute = [](const Window& w, const RangeArguments&) { return deriv(w); }},
    {.name = "double_exponential_smoothing",
     .compute =
         [](const Window& w, const RangeArguments& a) {
           return double_exponential_smoothing(w, a.scalars[0], a.scalars[1]);
         }},
    {.name = "first_over_time",
     .compute = [](const Window& w, const RangeArguments&) -> Value { return w.samples.front().value; },
     .keeps_name = true},
    {.name = "idelta",
     .compute = [](const Window& w, const RangeArguments&) { return instant_rate(w, false); }},
    {.name = "increase",
     .compute = change<true, false>,
     .wants_counter = true,
     .anchored = true,
     .smoothed = true},
    {.name = "irate",
     .compute = [](const Window& w, const RangeArguments&) { return instant_rate(w, true); }},
    {.name = "last_over_time",
     .compute = [](const Window& w, const RangeArguments&) -> Value { return w.samples.back().value; },
     .keeps_name = true},
    {.name = "mad_over_time", .compute = of<mad_over_time>},
    {.name = "max_over_time", .compute = of<max_over_time>},
    {.name = "min_over_time", .compute = of<min_over_time>},
    {.name = "predict_linear",
     .compute = [](const Window& w, const RangeArguments& a) { return predict_linear(w, a.scalars[0]); },
     .uses_now = true},
    {.name = "present_over_time", .compute = [](const Window&, const RangeArguments&) -> Value { return 1; }},
    {.name = "quantile_over_time",
     .compute = [](const Window& w, const RangeArguments& a) -> Value {
       return quantile_over_time(w, a.scalars[0]);
     }},
    {.name = "rate",
     .compute = change<true, true>,
     .wants_counter = true,
     .anchored = true,
     .smoothed = true},
    {.name = "resets", .compute = count_of<resets>, .anchored = true},
    {.name = "stddev_over_time",
     .compute = [](const Window& w, const RangeArguments&) -> Value {
       return std::sqrt(stdvar_over_time(w));
     }},
    {.name = "stdvar_over_time", .compute = of<stdvar_over_time>},
    {.name = "sum_over_time", .compute = of<sum_over_time>},
    {.name = "ts_of_first_over_time",
     .compute = [](const Window& w, const RangeArguments&) -> Value {
       return seconds(w.samples.front().time);
     }},
    {.name = "ts_of_last_over_time",
     .compute = [](const Window& w, const RangeArguments&) -> Value {
       return seconds(w.samples.back().time);
     }},
    {.name = "ts_of_max_over_time", .compute = of<ts_of_max_over_time>},
    {.name = "ts_of_min_over_time", .compute = of<ts_of_min_over_time>},
};

Result<void> check_factors(std::string_view what, std::string_view symbol,
                           const std::vector<double>& factors) {
  for (const double factor : factors) {
    if (factor > 0 && factor < 1) continue;
    return fail(ErrorCode::Invalid,
                fmt::format("invalid {} factor. Expected: 0 < {} < 1, got: {:f}", what, symbol, factor));
  }
  return {};
}

}  // namespace

const RangeFunction* find_range_function(std::string_view name) {
  const auto found = std::lower_bound(std::begin(kFunctions), std::end(kFunctions), name,
                                      [](const RangeFunction& f, std::string_view n) { return f.name < n; });
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

Result<void> check_scalars(Evaluation& run, const RangeFunction& function,
                           const std::vector<std::vector<double>>& scalars, Span range_argument) {
  if (function.name == "double_exponential_smoothing") {
    FAIRWAY_CHECKED(check_factors("smoothing", "sf", scalars[0]));
    FAIRWAY_CHECKED(check_factors("trend", "tf", scalars[1]));
  }
  if (function.name == "quantile_over_time") {
    for (const double q : scalars[0]) {
      if (!(q >= 0 && q <= 1)) run.annotations.invalid_quantile(q, range_argument);
    }
  }
  return {};
}

}  // namespace fairway::promql
