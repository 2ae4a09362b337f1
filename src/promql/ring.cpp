#include "promql/ring.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::promql {
namespace {

constexpr std::size_t kNodeBytes = 128;  // about what a map's node and a vector's header cost

Millis interval_of(Millis time, Millis interval) {
  const Millis whole = time / interval;
  return time % interval < 0 ? whole - 1 : whole;
}

}  // namespace

SampleRing::SampleRing(std::set<std::string, std::less<>> metrics, const RingOptions& options)
    : metrics_(std::move(metrics)),
      options_(options),
      // One more than fits: the range may begin within an interval. And one for a stale marker.
      capacity_(static_cast<std::size_t>(options.length / std::max<Millis>(options.interval, 1)) + 2) {}

Result<std::set<std::string, std::less<>>> SampleRing::metrics_of(std::span<const Expr> queries) {
  std::set<std::string, std::less<>> metrics;
  for (const Expr& query : queries) {
    for (const Node& node : query.nodes()) {
      const auto* selector = node.as<VectorSelector>();
      if (!selector) continue;
      if (selector->metric_name().empty()) {
        const auto text = query.text().substr(node.span.start, node.span.end - node.span.start);
        return fail(
            ErrorCode::Invalid,
            fmt::format("expected every selector to name its metric, found {}: all metrics would have "
                        "to be kept",
                        quoted(text)));
      }
      metrics.emplace(selector->metric_name());
    }
  }
  return metrics;
}

Result<SampleRing> SampleRing::for_queries(std::span<const Expr> queries, const RingOptions& options) {
  FAIRWAY_TRY(auto metrics, metrics_of(queries));
  return SampleRing(std::move(metrics), options);
}

void SampleRing::keep_also(const std::set<std::string, std::less<>>& metrics) {
  metrics_.insert(metrics.begin(), metrics.end());
}

std::size_t SampleRing::cost(const Labels& labels) const {
  return capacity_ * sizeof(Sample) + labels.bytes() + kNodeBytes;
}

std::size_t SampleRing::series_count() const {
  std::size_t count = 0;
  for (const auto& [name, family] : families_) count += family.size();
  return count;
}

bool SampleRing::put(Kept& kept, Sample sample) const {
  std::vector<Sample>& samples = kept.samples;
  if (!samples.empty()) {
    if (sample.time <= samples.back().time) return false;
    const bool same_interval =
        interval_of(sample.time, options_.interval) == interval_of(samples.back().time, options_.interval);
    if (same_interval) samples.pop_back();
  }
  if (samples.size() == capacity_) samples.erase(samples.begin());
  samples.push_back(sample);
  return true;
}

SampleRing::Added SampleRing::add(Millis scraped, const Exposition& exposition) {
  Added added;
  forget_before(scraped - options_.length - options_.interval);
  for (const ExposedSample& exposed : exposition.samples) {
    const std::string_view name = exposed.labels.metric_name();
    if (!metrics_.contains(name)) {
      ++added.ignored;
      continue;
    }
    Family& family = families_[std::string(name)];
    auto found = family.find(exposed.labels);
    if (found == family.end()) {
      if (bytes_ + cost(exposed.labels) > options_.max_bytes) {
        ++added.dropped;
        continue;
      }
      bytes_ += cost(exposed.labels);
      found = family.emplace(exposed.labels, Kept{}).first;
      found->second.samples.reserve(capacity_);
    }
    found->second.last_scrape = scraped;
    ++(put(found->second, {exposed.time.value_or(scraped), exposed.value}) ? added.samples : added.dropped);
  }
  end_missing(scraped);
  return added;
}

void SampleRing::end_missing(Millis scraped) {
  for (auto& [name, family] : families_) {
    for (auto& [labels, kept] : family) {
      if (kept.last_scrape == scraped || kept.samples.empty() || is_stale(kept.samples.back().value))
        continue;
      put(kept, {scraped, stale_marker()});
    }
  }
}

void SampleRing::forget_before(Millis time) {
  for (auto& [name, family] : families_) {
    std::erase_if(family, [&](const auto& entry) {
      const auto& samples = entry.second.samples;
      if (!samples.empty() && samples.back().time > time) return false;
      bytes_ -= cost(entry.first);
      return true;
    });
  }
}

Result<std::vector<SeriesView>> SampleRing::select(std::span<const CompiledMatcher> matchers,
                                                   TimeSpan span) const {
  std::vector<SeriesView> found;
  for (const auto& [name, family] : families_) {
    if (!may_be_named(matchers, name)) continue;
    for (const auto& [labels, kept] : family) {
      if (!matches(matchers, labels)) continue;
      const auto samples = within(kept.samples, span);
      if (!samples.empty()) found.push_back({labels, samples});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const SeriesView& left, const SeriesView& right) { return left.labels < right.labels; });
  return found;
}

}  // namespace fairway::promql
