// Checksum: CRC-32C (Castagnoli), the sum that each row of the log carries over everything in it.
//
// SQLite checks the structure of its pages, not the bytes of a value; this finds what a disk changed
// silently. Feed the parts in order: sum = crc32c(part, sum).
#pragma once

#include <cstdint>
#include <string_view>

namespace fairway::store {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t sum = 0);
// The eight bytes of the number, lowest first.
std::uint32_t crc32c(std::uint64_t number, std::uint32_t sum);

}  // namespace fairway::store
