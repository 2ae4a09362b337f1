#include "promql/series_store.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace fairway::promql {
namespace {

bool same_bits(double left, double right) {
  return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
}

}  // namespace

std::span<const Sample> within(std::span<const Sample> samples, TimeSpan span) {
  const auto is_before = [](Millis time, const Sample& sample) { return time < sample.time; };
  const auto first = std::upper_bound(samples.begin(), samples.end(), span.after, is_before);
  const auto last = std::upper_bound(first, samples.end(), span.until, is_before);
  return {first, last};
}

Result<void> SeriesStore::add(const Labels& labels, Sample sample) {
  auto [known, is_new] = places_.try_emplace(labels);
  if (is_new) {
    Family& family = families_[std::string(labels.metric_name())];
    if (!family.series.empty() && family.series.back().labels > labels) family.sorted = false;
    known->second = {&family, family.series.size()};
    family.series.push_back({labels, {}});
  }
  std::vector<Sample>& samples = known->second.family->series[known->second.index].samples;
  if (samples.empty() || samples.back().time < sample.time) {
    samples.push_back(sample);
    ++samples_;
    return {};
  }
  const auto place = std::lower_bound(samples.begin(), samples.end(), sample.time,
                                      [](const Sample& s, Millis time) { return s.time < time; });
  if (place->time != sample.time) {
    samples.insert(place, sample);
    ++samples_;
    return {};
  }
  if (same_bits(place->value, sample.value)) return {};
  return fail(ErrorCode::Invalid, fmt::format("{} has the values {} and {} at the same time, {}",
                                              labels.to_metric(), format_value(place->value),
                                              format_value(sample.value), format_seconds(sample.time)));
}

void SeriesStore::settle() {
  for (auto& [name, family] : families_) {
    if (family.sorted) continue;
    std::sort(family.series.begin(), family.series.end(),
              [](const Stored& left, const Stored& right) { return left.labels < right.labels; });
    family.sorted = true;
    for (std::size_t i = 0; i < family.series.size(); ++i) places_[family.series[i].labels] = {&family, i};
  }
}

void SeriesStore::clear() {
  families_.clear();
  places_.clear();
  samples_ = 0;
}

void SeriesStore::collect(const Family& family, std::span<const CompiledMatcher> matchers, TimeSpan span,
                          std::vector<SeriesView>& into) {
  for (const Stored& stored : family.series) {
    if (!matches(matchers, stored.labels)) continue;
    const auto samples = within(stored.samples, span);
    if (!samples.empty()) into.push_back({stored.labels, samples});
  }
}

Result<std::vector<SeriesView>> SeriesStore::select(std::span<const CompiledMatcher> matchers,
                                                    TimeSpan span) const {
  std::vector<SeriesView> found;
  bool sorted = true;
  if (const CompiledMatcher* name = find_exact_name(matchers)) {
    const auto family = families_.find(name->value());
    if (family == families_.end()) return found;
    collect(family->second, matchers, span, found);
    sorted = family->second.sorted;
  } else {
    for (const auto& [metric, family] : families_) {
      if (!may_be_named(matchers, metric)) continue;
      collect(family, matchers, span, found);
    }
    sorted = false;  // label names such as A sort before __name__
  }
  if (!sorted) {
    std::sort(found.begin(), found.end(),
              [](const SeriesView& left, const SeriesView& right) { return left.labels < right.labels; });
  }
  return found;
}

}  // namespace fairway::promql
