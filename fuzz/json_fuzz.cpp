// JSON from outside: parsing never fails badly, and what was parsed survives a round trip.
#include <cstdint>
#include <string_view>

#include "json/value.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const auto value =
      json::parse({reinterpret_cast<const char*>(data), size}, {.max_depth = 128, .max_bytes = 1 << 20});
  if (!value) return 0;
  const auto again = json::parse(json::serialize(*value));
  FAIRWAY_CHECK(again && json::same_value(*value, *again), "a JSON value changed on its way through text");
  const auto pretty = json::parse(json::serialize_pretty(*value));
  FAIRWAY_CHECK(pretty && json::same_value(*value, *pretty),
                "a JSON value changed on its way through pretty text");
  return 0;
}
