// What benchmarks of controllers share: giving up with a reason, and what the clients have counted.
#pragma once

#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/metrics.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

namespace fairway::bench {

[[noreturn]] inline void give_up(const std::string& why) {
  fmt::print(stderr, "benchmark: {}\n", why);
  std::exit(1);
}

template <class T>
T accepted(Result<T> result) {
  if (!result) give_up(result.error().describe());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// The sum of all series of this counter.
inline double total(const metrics::Registry& registry, std::string_view name) {
  double sum = 0;
  const std::string text = registry.expose();
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || (line[name.size()] != '{' && line[name.size()] != ' ')) continue;
    sum += parse_double(line.substr(line.rfind(' ') + 1)).value_or(0);
  }
  return sum;
}

}  // namespace fairway::bench
