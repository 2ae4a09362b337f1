// Fingerprints: 64 bits that tell two texts apart, the same in every process (FNV-1a). Not for secrets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fairway::cloud {

constexpr std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) {
    hash ^= static_cast<unsigned char>(each);
    hash *= 0x100000001b3;
  }
  return hash;
}
// 16 hexadecimal digits.
std::string fingerprint_text(std::string_view text);

}  // namespace fairway::cloud
