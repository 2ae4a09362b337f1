// SeriesStore: series in memory, found by metric name. What files, scrapes and tests are loaded into.
//
// A selector that names its metric looks only at that metric's series. Adding is single-threaded; once filled
// it may be read from many threads.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "promql/source.hpp"

namespace fairway::promql {

class SeriesStore final : public Source {
 public:
  // Times of one series may come in any order. The same value at the same time again changes nothing; another
  // value is an error.
  Result<void> add(const Labels& labels, Sample sample);
  // Sorts what was added, so that select() need not. Call it when done with adding.
  void settle();
  void clear();

  std::size_t series_count() const { return places_.size(); }
  std::size_t sample_count() const { return samples_; }

  Result<std::vector<SeriesView>> select(std::span<const CompiledMatcher> matchers,
                                         TimeSpan span) const override;

 private:
  struct Stored {
    Labels labels;
    std::vector<Sample> samples;
  };
  struct Family {  // all series of one metric
    std::vector<Stored> series;
    bool sorted = true;
  };
  struct Place {
    Family* family = nullptr;
    std::size_t index = 0;
  };

  static void collect(const Family& family, std::span<const CompiledMatcher> matchers, TimeSpan span,
                      std::vector<SeriesView>& into);

  std::map<std::string, Family, std::less<>> families_;
  std::unordered_map<Labels, Place> places_;
  std::size_t samples_ = 0;
};

}  // namespace fairway::promql
