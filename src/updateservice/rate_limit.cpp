#include "updateservice/rate_limit.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fairway::updateservice {
namespace {

constexpr double kBurstSeconds = 2;

// An IPv6 client has a whole /64 to send from, an IPv4 one a single address.
std::uint64_t name_of(const http::PeerAddress& source) {
  static constexpr std::array<std::uint8_t, 12> kV4Prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const bool is_v4 = std::equal(kV4Prefix.begin(), kV4Prefix.end(), source.bytes.begin());
  std::uint64_t name = 0;
  std::memcpy(&name, source.bytes.data() + (is_v4 ? 8 : 0), sizeof name);
  return name;
}

}  // namespace

RateLimit::RateLimit(double per_second) : per_second_(per_second), buckets_(per_second > 0 ? kPlaces : 0) {}

bool RateLimit::allows(const http::PeerAddress& source, SteadyTime now) {
  if (buckets_.empty()) return true;
  const std::uint64_t name = name_of(source);
  const std::size_t place =
      std::hash<std::string_view>{}({reinterpret_cast<const char*>(&name), sizeof name}) % kPlaces;
  const std::lock_guard lock(locks_[place % kLocks]);
  Bucket& bucket = buckets_[place];
  const double most = std::max(1.0, per_second_ * kBurstSeconds);
  if (bucket.source != name) bucket = {name, most, now};
  const double passed = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.tokens = std::min(most, bucket.tokens + passed * per_second_);
  bucket.filled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

}  // namespace fairway::updateservice
