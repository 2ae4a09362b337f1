#include <algorithm>
#include <cmath>

#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

constexpr double kRoundingError = 1e-12;

bool differs_by_rounding(double left, double right) {
  return left == right || std::abs(left - right) / std::min(std::abs(left) + std::abs(right),
                                                            std::numeric_limits<double>::max()) <
                              kRoundingError;
}

// By bound, one bucket a bound. False when there is no bucket for everything.
bool arrange(std::vector<Bucket>& buckets) {
  std::stable_sort(buckets.begin(), buckets.end(), [](const Bucket& left, const Bucket& right) {
    return left.upper_bound < right.upper_bound;
  });
  if (buckets.empty() || buckets.back().upper_bound != kInf) return false;
  std::size_t last = 0;
  for (std::size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].upper_bound == buckets[last].upper_bound) {
      buckets[last].count += buckets[i].count;
    } else {
      buckets[++last] = buckets[i];
    }
  }
  buckets.resize(last + 1);
  return true;
}

// Buckets that are scraped or computed at slightly different times may fall; the envelope does not.
bool make_monotonic(std::vector<Bucket>& buckets) {
  bool forced = false;
  double before = buckets.front().count;
  for (Bucket& bucket : buckets) {
    if (bucket.count == before) continue;
    const bool is_noise = before != 0 && bucket.count != 0 && differs_by_rounding(before, bucket.count);
    if (is_noise || bucket.count < before) {
      forced = forced || !is_noise;
      bucket.count = before;
    } else {
      before = bucket.count;
    }
  }
  return forced;
}

}  // namespace

BucketQuantile bucket_quantile(double q, std::vector<Bucket>& buckets) {
  if (std::isnan(q)) return {kNaN};
  if (q < 0) return {-kInf};
  if (q > 1) return {kInf};
  if (!arrange(buckets)) return {kNaN};
  const bool forced = make_monotonic(buckets);
  if (buckets.size() < 2) return {kNaN};
  const double observations = buckets.back().count;
  if (observations == 0 || std::isnan(observations)) return {kNaN};

  double rank = q * observations;
  const auto found = std::find_if(buckets.begin(), buckets.end() - 1,
                                  [&](const Bucket& bucket) { return bucket.count >= rank; });
  if (found == buckets.end() - 1) return {buckets[buckets.size() - 2].upper_bound, forced};
  if (found == buckets.begin() && found->upper_bound <= 0) return {found->upper_bound, forced};
  double start = 0;
  double count = found->count;
  if (found != buckets.begin()) {
    const Bucket& below = *(found - 1);
    start = below.upper_bound;
    count -= below.count;
    rank -= below.count;
  }
  return {start + (found->upper_bound - start) * (rank / count), forced};
}

double bucket_fraction(double lower, double upper, std::vector<Bucket>& buckets) {
  if (!arrange(buckets)) return kNaN;
  const double observations = buckets.back().count;
  if (observations == 0 || std::isnan(lower) || std::isnan(upper)) return kNaN;
  if (lower >= upper) return 0;

  // How many observations lie below a value, interpolated within its bucket.
  const auto rank_of = [&](double value) {
    double below = 0;
    double start = -kInf;
    for (const Bucket& bucket : buckets) {
      if (start >= value) return below;
      if (bucket.upper_bound > value) {
        if (start == -kInf) {
          // The lowest bucket starts at 0, unless all of it is below.
          if (bucket.upper_bound <= 0) return bucket.count;
          if (value <= 0) return 0.0;
          start = 0;
        }
        return below + (bucket.count - below) * (value - start) / (bucket.upper_bound - start);
      }
      below = bucket.count;
      start = bucket.upper_bound;
    }
    return observations;
  };
  const double from = std::min(rank_of(lower), observations);
  const double to = std::min(rank_of(upper), observations);
  return (to - from) / observations;
}

}  // namespace fairway::promql
