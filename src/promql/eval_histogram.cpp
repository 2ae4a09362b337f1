#include <unordered_map>

#include "promql/evaluation.hpp"
#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

// One classic histogram: the rows of its buckets.
struct Histogram {
  Labels labels;  // without the bucket label
  std::vector<std::size_t> rows;
  std::vector<double> bounds;
};

struct Histograms {
  Frame frame;
  std::vector<Histogram> all;

  // The buckets at one step.
  std::vector<Bucket> buckets(const Histogram& histogram, std::size_t step) const {
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < histogram.rows.size(); ++i) {
      const double count = frame.cell(histogram.rows[i], step);
      if (is_present(count)) buckets.push_back({histogram.bounds[i], count});
    }
    return buckets;
  }
};

// Series that differ in nothing but the bucket label are one histogram.
Result<Histograms> gather_histograms(Evaluation& run, NodeId argument, const Steps& steps) {
  FAIRWAY_TRY(Frame frame, evaluate_node(run, argument, steps));
  Histograms result{std::move(frame), {}};
  std::unordered_map<Labels, std::size_t> index;
  const std::vector<std::string> bucket_label{std::string(kBucketLabel)};
  for (std::size_t row = 0; row < result.frame.rows(); ++row) {
    const Labels& labels = result.frame.row(row).labels;
    const auto bound = parse_value(labels.get(kBucketLabel));
    if (!bound) {
      const auto name = run.drops_names_now() ? std::string_view{} : labels.metric_name();
      run.annotations.bad_bucket_label(name, labels.get(kBucketLabel), run.node(argument).span);
      continue;
    }
    Labels key = labels.without(bucket_label);
    FAIRWAY_CHECKED(run.budget.take_labels(key.bytes()));
    const auto [found, is_new] = index.try_emplace(key, result.all.size());
    if (is_new) result.all.push_back({std::move(key), {}, {}});
    result.all[found->second].rows.push_back(row);
    result.all[found->second].bounds.push_back(*bound);
  }
  return result;
}

void remark_on_quantiles(Evaluation& run, const std::vector<double>& quantiles, Span span) {
  for (const double q : quantiles) {
    if (!(q >= 0 && q <= 1)) run.annotations.invalid_quantile(q, span);
  }
}

// Calls `put(histogram, labels, buckets, step)` for each histogram at each step at which it has buckets.
template <class Put>
Result<void> each_histogram(Evaluation& run, const Histograms& histograms, const Steps& steps, Put put) {
  for (const Histogram& histogram : histograms.all) {
    const Labels labels = run.drops_names_now() ? histogram.labels.without_name() : histogram.labels;
    for (std::size_t step = 0; step < steps.count; ++step) {
      auto buckets = histograms.buckets(histogram, step);
      if (buckets.empty()) continue;
      FAIRWAY_CHECKED(put(histogram, labels, buckets, step));
      FAIRWAY_CHECKED(run.budget.work(histogram.rows.size()));
    }
  }
  return {};
}

Result<void> put(KeyedFrame& into, const Labels& labels, std::size_t step, double value) {
  FAIRWAY_TRY(const std::size_t row, into.row(labels, true));
  return into.set(row, step, value);
}

double quantile_of(Evaluation& run, const Histogram& histogram, std::vector<Bucket>& buckets, double q,
                   Span span) {
  const BucketQuantile result = bucket_quantile(q, buckets);
  if (result.forced_monotonic) {
    const auto name = run.drops_names_now() ? std::string_view{} : histogram.labels.metric_name();
    run.annotations.forced_monotonicity(name, span);
  }
  return result.value;
}

// A quantile as OpenMetrics writes it in a label: 0.5, 1.0.
std::string quantile_label(double q) {
  std::string text = format_general(q);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Result<Frame> evaluate_histogram_quantile(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(const auto quantiles, evaluate_scalar(run, call.args[0], steps));
  remark_on_quantiles(run, quantiles, run.node(call.args[0]).span);
  FAIRWAY_TRY(const Histograms histograms, gather_histograms(run, call.args[1], steps));
  const Span span = run.node(call.args[1]).span;
  KeyedFrame result(run.budget, steps.count);
  FAIRWAY_CHECKED(each_histogram(
      run, histograms, steps,
      [&](const Histogram& histogram, const Labels& labels, std::vector<Bucket>& buckets, std::size_t step) {
        return put(result, labels, step, quantile_of(run, histogram, buckets, quantiles[step], span));
      }));
  return std::move(result).take();
}

Result<Frame> evaluate_histogram_quantiles(Evaluation& run, const Call& call, const Steps& steps) {
  const std::string_view label = run.text_argument(call, 1);
  FAIRWAY_TRY(const Histograms histograms, gather_histograms(run, call.args[0], steps));
  const Span span = run.node(call.args[0]).span;
  KeyedFrame result(run.budget, steps.count);
  for (std::size_t i = 2; i < call.args.size(); ++i) {
    FAIRWAY_TRY(const auto quantiles, evaluate_scalar(run, call.args[i], steps));
    remark_on_quantiles(run, quantiles, run.node(call.args[i]).span);
    FAIRWAY_CHECKED(each_histogram(
        run, histograms, steps,
        [&](const Histogram& histogram, const Labels& labels, std::vector<Bucket>& buckets,
            std::size_t step) {
          const double q = quantiles[step];
          const Labels with_quantile = LabelsBuilder(labels).set(label, quantile_label(q)).labels();
          return put(result, with_quantile, step, quantile_of(run, histogram, buckets, q, span));
        }));
  }
  return std::move(result).take();
}

Result<Frame> evaluate_histogram_fraction(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(const auto lower, evaluate_scalar(run, call.args[0], steps));
  FAIRWAY_TRY(const auto upper, evaluate_scalar(run, call.args[1], steps));
  FAIRWAY_TRY(const Histograms histograms, gather_histograms(run, call.args[2], steps));
  KeyedFrame result(run.budget, steps.count);
  FAIRWAY_CHECKED(each_histogram(
      run, histograms, steps,
      [&](const Histogram&, const Labels& labels, std::vector<Bucket>& buckets, std::size_t step) {
        return put(result, labels, step, bucket_fraction(lower[step], upper[step], buckets));
      }));
  return std::move(result).take();
}

}  // namespace fairway::promql
