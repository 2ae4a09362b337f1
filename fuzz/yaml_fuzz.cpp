// YAML from outside: bounded, never crashes, and what we write reads back as it was.
#include <string_view>

#include "json/yaml.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(yaml, text) {
  using namespace fairway;
  const json::YamlOptions limits{
      .max_bytes = 1 << 18, .max_depth = 64, .max_documents = 100, .max_nodes = 20'000};
  const auto documents = json::parse_yaml_documents(text, limits);
  if (!documents) return;
  for (const json::Value& value : *documents) {
    const auto again = json::parse_yaml(json::to_yaml(value));
    FAIRWAY_CHECK(again && json::same_value(value, *again), "a value changed on its way through YAML");
  }
}
