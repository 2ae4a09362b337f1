// SampleRing: the last hour of the few metrics that some query names, in a fixed amount of memory. What makes
// `max_over_time(x[1h])` answerable where there is no Prometheus.
//
// One sample an interval is kept for each series, the newest in it. A series that a scrape no longer has gets
// a stale marker, as Prometheus gives it, and is forgotten when its last sample is older than the length. A
// series that would not fit into the memory bound is not taken, and counted. Single-threaded.
//
//   FAIRWAY_TRY(auto ring, SampleRing::for_queries(queries));
//   ring.add(now, *read_exposition(text));
//   evaluate_instant(query, ring, now);
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "promql/ast.hpp"
#include "promql/exposition.hpp"
#include "promql/source.hpp"

namespace fairway::promql {

struct RingOptions {
  Millis length = 60 * 60 * 1000;
  Millis interval = 60 * 1000;
  std::size_t max_bytes = 16 * 1024 * 1024;
};

class SampleRing final : public Source {
 public:
  explicit SampleRing(std::set<std::string, std::less<>> metrics, const RingOptions& options = {});
  // Keeps the metrics that the queries select. An error when a selector does not name its metric: it would
  // need all there are.
  static Result<SampleRing> for_queries(std::span<const Expr> queries, const RingOptions& options = {});
  // The metrics that the queries select.
  static Result<std::set<std::string, std::less<>>> metrics_of(std::span<const Expr> queries);
  // Keeps these too from now on.
  void keep_also(const std::set<std::string, std::less<>>& metrics);

  struct Added {
    std::size_t samples = 0;  // taken
    std::size_t ignored = 0;  // of metrics that no query names
    std::size_t dropped = 0;  // for want of memory, or older than what is there
  };
  // One scrape. Samples without a time of their own count as taken at `scraped`.
  Added add(Millis scraped, const Exposition& exposition);

  const std::set<std::string, std::less<>>& metrics() const { return metrics_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t series_count() const;

  Result<std::vector<SeriesView>> select(std::span<const CompiledMatcher> matchers,
                                         TimeSpan span) const override;

 private:
  struct Kept {
    std::vector<Sample> samples;  // at most capacity_, by time
    Millis last_scrape = 0;       // that had it
  };
  using Family = std::map<Labels, Kept>;

  bool put(Kept& kept, Sample sample) const;
  void end_missing(Millis scraped);
  void forget_before(Millis time);
  std::size_t cost(const Labels& labels) const;

  std::set<std::string, std::less<>> metrics_;
  RingOptions options_;
  std::size_t capacity_;  // samples a series
  std::size_t bytes_ = 0;
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace fairway::promql
