#include "kube/client/backoff.hpp"

#include <algorithm>
#include <cmath>

namespace fairway::kube {
namespace {

using Seconds = std::chrono::duration<double>;

// Durations beyond what a Duration can hold are cut, not wrapped.
Duration to_duration(double nanoseconds) {
  const auto longest = static_cast<double>(Duration::max().count());
  return nanoseconds >= longest ? Duration::max() : Duration(static_cast<Duration::rep>(nanoseconds));
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t Random::below(std::uint64_t end) {
  return next() % end;
}

Duration BackoffPolicy::pause(int failures) const {
  if (failures <= 0) return Duration::zero();
  const double grown = static_cast<double>(first.count()) * std::pow(factor, failures - 1);
  return std::min(cap, to_duration(grown));
}

Duration BackoffPolicy::pause(int failures, Random& random) const {
  const Duration plain = pause(failures);
  return plain + to_duration(static_cast<double>(plain.count()) * jitter * random.unit());
}

TokenBucket::TokenBucket(double per_second, double burst)
    : per_second_(per_second), burst_(burst), tokens_(burst) {}

void TokenBucket::refill(SteadyTime now) {
  if (started_ && now > refilled_) {
    tokens_ = std::min(burst_, tokens_ + Seconds(now - refilled_).count() * per_second_);
  }
  refilled_ = started_ ? std::max(refilled_, now) : now;
  started_ = true;
}

bool TokenBucket::try_take(SteadyTime now) {
  refill(now);
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

Duration TokenBucket::reserve(SteadyTime now) {
  refill(now);
  tokens_ -= 1;
  if (tokens_ >= 0) return Duration::zero();
  return to_duration(std::ceil(-tokens_ / per_second_ * 1e9));
}

void TokenBucket::restore() {
  tokens_ = std::min(burst_, tokens_ + 1);
}

bool TokenBucket::is_full(SteadyTime now) {
  refill(now);
  return tokens_ >= burst_;
}

}  // namespace fairway::kube
