// RateLimit: how many requests a source may make a second, for any number of sources, in fixed memory.
//
// A token bucket for each address (for IPv6, each /64), in a table of fixed size; two sources that share a
// place take turns in it, which errs towards letting through. From any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "http/prepared_request.hpp"

namespace fairway::updateservice {

class RateLimit {
 public:
  // 0: no limit. Twice as many may come at once.
  explicit RateLimit(double per_second);

  bool allows(const http::PeerAddress& source, SteadyTime now);

 private:
  static constexpr std::size_t kPlaces = 16'384;
  static constexpr std::size_t kLocks = 64;
  struct Bucket {
    std::uint64_t source = 0;
    double tokens = 0;
    SteadyTime filled = {};
  };

  double per_second_;
  std::vector<Bucket> buckets_;
  std::array<std::mutex, kLocks> locks_;
};

}  // namespace fairway::updateservice
