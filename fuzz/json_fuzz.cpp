// JSON from outside: parsing never fails badly, and what was parsed survives a round trip.
#include <string_view>

#include "json/value.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(json, text) {
  using namespace fairway;
  const auto value = json::parse(text, {.max_depth = 128, .max_bytes = 1 << 20});
  if (!value) return;
  const auto again = json::parse(json::serialize(*value));
  FAIRWAY_CHECK(again && json::same_value(*value, *again), "a JSON value changed on its way through text");
  const auto pretty = json::parse(json::serialize_pretty(*value));
  FAIRWAY_CHECK(pretty && json::same_value(*value, *pretty),
                "a JSON value changed on its way through pretty text");
}
