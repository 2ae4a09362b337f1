// Budget: what one evaluation may cost. A query from outside must not hurt the process that evaluates it.
//
// Counted are samples held at once, bytes of labels made on the way, and time; a refusal names the limit and
// both numbers. Time is looked at every few thousand operations, on the Clock that the caller gives.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::promql {

struct EvalLimits {
  std::size_t max_samples = 1'000'000;          // held at once
  std::size_t max_bytes = 64 * 1024 * 1024;     // of samples and of labels that the query makes
  std::size_t max_labels_bytes = 64 * 1024;     // of one series that the query makes
  Duration max_time = std::chrono::seconds(1);  // of computing; zero means no limit
  std::size_t max_steps = 11'000;               // of a range query, as in Prometheus
  std::size_t max_depth = 64;                   // of the query; bounds the stack
};

class Budget {
 public:
  // Without a clock there is no limit on time. `cancelled` may be empty.
  Budget(const EvalLimits& limits, const Clock* clock, std::function<bool()> cancelled);

  Result<void> take_samples(std::size_t count);
  void release_samples(std::size_t count) { samples_ -= count; }
  // Bytes of a label set that the query has made.
  Result<void> take_labels(std::size_t bytes);
  // Call it with about how many operations were done.
  Result<void> work(std::size_t operations) {
    work_ += operations;
    return work_ < next_look_ ? Result<void>{} : look();
  }

  const EvalLimits& limits() const { return limits_; }
  std::size_t peak_samples() const { return peak_; }

 private:
  Result<void> look();
  Result<void> check_bytes() const;

  EvalLimits limits_;
  const Clock* clock_;
  std::function<bool()> cancelled_;
  SteadyTime started_{};
  std::size_t samples_ = 0;
  std::size_t peak_ = 0;
  std::size_t label_bytes_ = 0;
  std::size_t work_ = 0;
  std::size_t next_look_;
};

}  // namespace fairway::promql
