// xxHash64 with seed 0: the hash that Prometheus takes of a label set. Having the same one makes limit_ratio
// choose the same series as Prometheus does.
#pragma once

#include <cstdint>
#include <string_view>

namespace fairway::promql {

std::uint64_t xxhash64(std::string_view bytes);

}  // namespace fairway::promql
