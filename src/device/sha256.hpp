// SHA-256 (FIPS 180-4), for digests of trees. Here, and not OpenSSL's, because a device's tool links no
// library that its boot does not need.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairway::device {

class Sha256 {
 public:
  void update(std::string_view bytes);
  std::string finish_hex() &&;

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_ = {};
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace fairway::device
