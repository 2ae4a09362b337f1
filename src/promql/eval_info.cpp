// info(): labels of info metrics (target_info, say) joined to other series by `instance` and `job`.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>

#include "promql/evaluation.hpp"
#include "promql/matcher.hpp"

namespace fairway::promql {
namespace {

const std::vector<std::string>& identifying_labels() {
  static const std::vector<std::string> names{"instance", "job"};
  return names;
}

// What the second argument asks for.
struct InfoSelector {
  std::vector<CompiledMatcher> names;  // of the info metrics
  std::vector<CompiledMatcher> data;   // of the labels wanted; empty: all of them

  bool is_info(std::string_view metric) const {
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& matcher) { return matcher.matches(metric); });
  }
  bool wants(std::string_view label) const {
    return data.empty() || std::any_of(data.begin(), data.end(),
                                       [&](const auto& matcher) { return matcher.name() == label; });
  }
  // Whether a series without any info metric satisfies the matchers.
  bool accepts_none() const {
    return std::all_of(data.begin(), data.end(), [](const auto& matcher) { return matcher.matches(""); });
  }
};

Result<InfoSelector> info_selector(const Evaluation& run, const Call& call) {
  InfoSelector selector;
  if (call.args.size() > 1) {
    FAIRWAY_TRY(auto matchers, compile_matchers(*run.argument(call, 1).as<VectorSelector>()));
    for (auto& matcher : matchers) {
      auto& into = matcher.name() == kMetricName ? selector.names : selector.data;
      into.push_back(std::move(matcher));
    }
  }
  if (selector.names.empty()) {
    FAIRWAY_TRY(auto name, CompiledMatcher::compile(kMetricName, MatchOp::Equal, "target_info"));
    selector.names.push_back(std::move(name));
  }
  return selector;
}

// The info series at each step, with the time of the sample that says so: of two, the newer counts.
struct InfoSeries {
  Frame times;                                           // of the samples, in seconds
  std::map<std::string, std::vector<std::size_t>> rows;  // by metric name and identifying labels
};

std::string info_key(std::string_view metric, const Labels& labels) {
  return std::string(metric) + '\0' + labels.keep(identifying_labels()).to_string();
}

Result<InfoSeries> find_info_series(Evaluation& run, const InfoSelector& selector, const Steps& steps) {
  std::vector<CompiledMatcher> matchers = selector.names;
  matchers.insert(matchers.end(), selector.data.begin(), selector.data.end());
  FAIRWAY_TRY(const auto found,
              run.source.select(matchers, {steps.start - run.options.lookback, steps.last()}));
  InfoSeries result{Frame(run.budget, steps.count), {}};
  for (const SeriesView& series : found) {
    FAIRWAY_TRY(const auto cells, result.times.add({series.labels}));
    result.rows[info_key(series.labels.metric_name(), series.labels)].push_back(result.times.rows() - 1);
    std::size_t next = 0;
    for (std::size_t step = 0; step < steps.count; ++step) {
      const Millis time = steps.at(step);
      while (next < series.samples.size() && series.samples[next].time <= time) ++next;
      if (next == 0 || is_stale(series.samples[next - 1].value)) continue;
      const Millis newest = series.samples[next - 1].time;
      if (newest > time - run.options.lookback) cells[step] = static_cast<double>(newest);
    }
    FAIRWAY_CHECKED(run.budget.work(steps.count + series.samples.size()));
  }
  return result;
}

// The row of the newest sample at the step, if any.
Result<std::optional<std::size_t>> newest_info(const InfoSeries& info, const std::vector<std::size_t>& rows,
                                               std::size_t step) {
  std::optional<std::size_t> best;
  for (const std::size_t row : rows) {
    const double time = info.times.cell(row, step);
    if (!is_present(time)) continue;
    if (best && time == info.times.cell(*best, step)) {
      return fail(ErrorCode::Invalid,
                  fmt::format("found duplicate series for info metric: existing {} @ {}, new {} @ {}",
                              info.times.row(*best).labels.to_string(), format_value(time),
                              info.times.row(row).labels.to_string(), format_value(time)));
    }
    if (!best || time > info.times.cell(*best, step)) best = row;
  }
  return best;
}

// The labels of a series with those of its info series at one step; nothing when the matchers rule it out.
Result<std::optional<Labels>> enrich(const InfoSelector& selector, const InfoSeries& info,
                                     const std::set<std::string>& metrics, const Labels& labels,
                                     std::size_t step) {
  std::map<std::string, std::string, std::less<>> added;
  bool found = false;
  for (const std::string& metric : metrics) {
    const auto rows = info.rows.find(info_key(metric, labels));
    if (rows == info.rows.end()) continue;
    FAIRWAY_TRY(const auto row, newest_info(info, rows->second, step));
    if (!row) continue;
    found = true;
    for (const Label label : info.times.row(*row).labels) {
      if (label.name == kMetricName || !selector.wants(label.name)) continue;
      const auto known = added.find(label.name);
      if (known != added.end() && known->second != label.value) {
        return fail(ErrorCode::Invalid, fmt::format("conflicting label: {}", label.name));
      }
      if (labels.get(label.name).empty()) added.emplace(label.name, label.value);
    }
  }
  if (!found && !selector.accepts_none()) return std::optional<Labels>{};
  LabelsBuilder builder(labels);
  for (const auto& [name, value] : added) builder.set(name, value);
  return builder.labels();
}

}  // namespace

Result<Frame> evaluate_info(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(const InfoSelector selector, info_selector(run, call));
  FAIRWAY_TRY(const Frame input, evaluate_node(run, call.args[0], steps));
  FAIRWAY_TRY(const InfoSeries info, find_info_series(run, selector, steps));
  std::set<std::string> metrics;
  for (std::size_t i = 0; i < info.times.rows(); ++i) metrics.emplace(info.times.row(i).labels.metric_name());

  KeyedFrame result(run.budget, steps.count);
  for (std::size_t i = 0; i < input.rows(); ++i) {
    const Frame::Row& row = input.row(i);
    const bool is_info = selector.is_info(row.labels.metric_name());  // itself stays as it is
    for (std::size_t step = 0; step < steps.count; ++step) {
      if (!is_present(input.cell(i, step))) continue;
      std::optional<Labels> labels = row.labels;
      if (!is_info) {
        FAIRWAY_TRY(labels, enrich(selector, info, metrics, row.labels, step));
      }
      if (!labels) continue;
      FAIRWAY_TRY(const std::size_t into, result.row(*labels, row.drop_name));
      FAIRWAY_CHECKED(result.set(into, step, input.cell(i, step)));
      FAIRWAY_CHECKED(run.budget.work(metrics.size() + 1));
    }
  }
  return std::move(result).take();
}

}  // namespace fairway::promql
