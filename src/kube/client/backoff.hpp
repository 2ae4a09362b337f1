// Backoff: how long to pause before trying again, and the token bucket that bounds how often anything is
// tried.
//
// Both are plain values without a clock: times are given, randomness comes from a seeded generator, so that
// what they decide can be tested exactly and replayed.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace fairway::kube {

// SplitMix64: small enough to live inside a state that is copied.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next();
  double unit();                           // from 0 up to, but not including, 1
  std::uint64_t below(std::uint64_t end);  // from 0 up to, but not including, `end`, which is not 0

  bool operator==(const Random&) const = default;

 private:
  std::uint64_t state_;
};

struct BackoffPolicy {
  Duration first = std::chrono::milliseconds(800);
  Duration cap = std::chrono::seconds(30);
  double factor = 2;
  double jitter = 1;  // up to this share of the pause is added, so that many do not come back at once

  // The pause after so many failures in a row, without and with jitter.
  Duration pause(int failures) const;
  Duration pause(int failures, Random& random) const;
};

// Tokens refill at a steady rate up to a burst; one is taken for each thing done.
class TokenBucket {
 public:
  TokenBucket(double per_second, double burst);

  // Takes one if there is one.
  bool try_take(SteadyTime now);
  // Takes one in any case; how long to wait until it is there.
  Duration reserve(SteadyTime now);
  // Gives one back that was reserved and not used.
  void restore();
  bool is_full(SteadyTime now);

 private:
  void refill(SteadyTime now);

  double per_second_;
  double burst_;
  double tokens_;
  SteadyTime refilled_{};
  bool started_ = false;
};

}  // namespace fairway::kube
