// The PromQL evaluator: bytes as the choices of a generator of queries, evaluated on made samples; bytes as
// an exposition; bytes as a line of promqltest's series notation.
//
// Whatever is asked ends within its budget. A range query of one step answers as the instant query does, and
// each step of a longer one as the instant query at its time; dropping names late changes no answer that both
// ways have.
#include <algorithm>
#include <map>
#include <string_view>

#include "promql/evaluator.hpp"
#include "promql/explain.hpp"
#include "promql/exposition.hpp"
#include "promql/parser.hpp"
#include "promql/promqltest_series.hpp"
#include "promql/verdict.hpp"

#include "fuzzer.hpp"
#include "promql_generator.hpp"

namespace fairway::promql {
namespace {

constexpr Millis kNow = 1'609'746'000'000;
constexpr std::size_t kMaxSamples = 20'000;

double made_value(std::size_t seed) {
  switch (seed % 17) {
    case 3:
      return kNaN;
    case 5:
      return kInf;
    case 7:
      return -kInf;
    case 11:
      return stale_marker();
    case 13:
      return 0;
    default:
      return static_cast<double>((seed * 2654435761U) % 1000) / 8 - 20;
  }
}

// Metrics and labels that the generator's selectors name.
SeriesStore make_store() {
  SeriesStore store;
  std::size_t seed = 1;
  for (const char* metric : {"foo", "up", "cluster_operator_conditions", "a:b", "x", "a.b", "NaN_total"}) {
    for (const char* a : {"", "a", "b"}) {
      for (const char* le : {"", "0.5", "+Inf", "b"}) {
        const Labels labels =
            Labels::from({{"__name__", metric}, {"a", a}, {"le", le}, {"_id", seed % 3 ? "" : "a"}});
        for (Millis age = 40; age >= 0; --age) {
          if (++seed % 5 != 0) (void)store.add(labels, {kNow - age * 15'000, made_value(seed)});
        }
      }
    }
  }
  store.settle();
  return store;
}

using Answer = std::map<Labels, double>;

Answer answer_at(const QueryResult& result, Millis time) {
  Answer answer;
  if (result.type == ValueType::Scalar) answer[{}] = result.scalar.value;
  for (const ResultSeries& series : result.series) {
    for (const Sample& sample : series.samples) {
      if (sample.time == time) answer[series.labels] = sample.value;
    }
  }
  return answer;
}

// The order of series, and with it the rounding of sums, may differ.
bool nearly(double left, double right) {
  if (left == right || (std::isnan(left) && std::isnan(right))) return true;
  return std::abs(left - right) <= 1e-9 * std::max({std::abs(left), std::abs(right), 1.0});
}

bool same(const Answer& left, const Answer& right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(), [](const auto& l, const auto& r) {
           return l.first == r.first && nearly(l.second, r.second);
         });
}

bool depends_on_query_times(std::string_view text) {
  return text.find("step(") != text.npos || text.find("range(") != text.npos ||
         text.find("start(") != text.npos || text.find("end(") != text.npos;
}

void check_ranges(const Expr& expr, const SeriesStore& store, const EvalOptions& options,
                  const std::string& text) {
  const auto instant = evaluate_instant(expr, store, kNow, options);
  if (instant) FAIRWAY_CHECK(instant->peak_samples <= kMaxSamples, "more samples held than allowed: " + text);
  if (expr.type() != ValueType::Vector && expr.type() != ValueType::Scalar) return;
  if (depends_on_query_times(text)) return;
  const auto one = evaluate_range(expr, store, {kNow, kNow, 60'000}, options);
  FAIRWAY_CHECK(one.has_value() == instant.has_value(),
                "an instant query fails where a range does not: " + text);
  if (!one) return;
  FAIRWAY_CHECK(same(answer_at(*instant, kNow), answer_at(*one, kNow)),
                "an instant query differs from a range of one step: " + text);
  if (text.find("count_values") != text.npos) return;  // makes labels of values, whose last digits may differ
  const auto three = evaluate_range(expr, store, {kNow - 60'000, kNow + 60'000, 60'000}, options);
  if (!three) return;  // another step may fail
  FAIRWAY_CHECK(same(answer_at(*instant, kNow), answer_at(*three, kNow)),
                "an instant query differs from a step of a range: " + text);
}

void check_query(const std::string& text, const SeriesStore& store) {
  const auto expr = parse(text, ParseOptions::all_enabled());
  if (!expr) return;
  EvalOptions options{.limits = {.max_samples = kMaxSamples}};
  check_ranges(*expr, store, options, text);
  (void)judge(evaluate_instant(*expr, store, kNow, options));
  (void)to_text(explain(*expr, store, kNow, {.eval = options, .max_series = 3}).tree);
  options.delayed_name_removal = true;
  check_ranges(*expr, store, options, text);
}

}  // namespace

FAIRWAY_FUZZER(promql_eval, text) {
  static const SeriesStore store = make_store();
  check_query(fuzz::QueryGenerator(fuzz::bytes_of(text), false).query(), store);
  if (text.size() < 500) check_query(std::string(text), store);
  for (const ExpositionFormat format : {ExpositionFormat::Text, ExpositionFormat::OpenMetrics}) {
    const auto exposed = read_exposition(text, {.format = format});
    SeriesStore read;
    if (exposed) (void)store_exposition(*exposed, kNow, read);
  }
  if (text.size() < 200) (void)parse_series_line(text);
}

}  // namespace fairway::promql
