#include "store/checksum.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace fairway::store {
namespace {

// Slicing by eight: tables[k][b] is the sum of byte b followed by k zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr std::uint32_t kReflectedPolynomial = 0x82f63b78;
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kReflectedPolynomial : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t slice = 1; slice < 8; ++slice)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = tables[slice - 1][byte];
      tables[slice][byte] = (shorter >> 8) ^ tables[0][shorter & 0xff];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t load_little_endian(const char* bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return word;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t sum) {
  sum = ~sum;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    const std::uint64_t word = load_little_endian(at) ^ sum;
    sum = 0;
    for (std::size_t i = 0; i < 8; ++i) sum ^= kTables[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; left > 0; ++at, --left)
    sum = (sum >> 8) ^ kTables[0][(sum ^ static_cast<unsigned char>(*at)) & 0xff];
  return ~sum;
}

std::uint32_t crc32c(std::uint64_t number, std::uint32_t sum) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  return crc32c(std::string_view(bytes.data(), bytes.size()), sum);
}

}  // namespace fairway::store
