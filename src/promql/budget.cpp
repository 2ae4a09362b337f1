#include "promql/budget.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {
namespace {

constexpr std::size_t kOperationsBetweenLooks = 16'384;

}  // namespace

Budget::Budget(const EvalLimits& limits, const Clock* clock, std::function<bool()> cancelled)
    : limits_(limits), clock_(clock), cancelled_(std::move(cancelled)), next_look_(kOperationsBetweenLooks) {
  if (clock_) started_ = clock_->steady();
}

Result<void> Budget::take_samples(std::size_t count) {
  samples_ += count;
  peak_ = std::max(peak_, samples_);
  if (samples_ > limits_.max_samples) {
    return fail(
        ErrorCode::Invalid,
        fmt::format("the query holds {} samples at once, more than the limit of {} samples: select fewer "
                    "series or a shorter range",
                    samples_, limits_.max_samples));
  }
  return check_bytes();
}

Result<void> Budget::take_labels(std::size_t bytes) {
  if (bytes > limits_.max_labels_bytes) {
    return fail(ErrorCode::Invalid, fmt::format("the query makes a series with {} bytes of labels, more than "
                                                "the limit of {} bytes a series",
                                                bytes, limits_.max_labels_bytes));
  }
  label_bytes_ += bytes;
  return check_bytes();
}

Result<void> Budget::check_bytes() const {
  const std::size_t bytes = samples_ * sizeof(Sample) + label_bytes_;
  if (bytes <= limits_.max_bytes) return {};
  return fail(ErrorCode::Invalid, fmt::format("the query needs {} bytes of memory, more than the limit of {} "
                                              "bytes: select fewer series or a shorter range",
                                              bytes, limits_.max_bytes));
}

Result<void> Budget::look() {
  next_look_ = work_ + kOperationsBetweenLooks;
  if (cancelled_ && cancelled_()) return fail(ErrorCode::Cancelled, "the evaluation was cancelled");
  if (!clock_ || limits_.max_time == Duration::zero()) return {};
  const Duration used = clock_->steady() - started_;
  if (used <= limits_.max_time) return {};
  return fail(ErrorCode::Timeout,
              fmt::format("the evaluation has taken {}, more than the limit of {}: select fewer series or a "
                          "shorter range",
                          format_duration(used), format_duration(limits_.max_time)));
}

}  // namespace fairway::promql
