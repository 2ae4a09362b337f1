// Values for tests, written in YAML as people write them. What cannot be read fails the test.
#pragma once

#include <gtest/gtest.h>
#include <string_view>

#include "json/yaml.hpp"

namespace fairway::json {

inline Value test_value(std::string_view yaml) {
  auto read = parse_yaml(yaml);
  EXPECT_TRUE(read) << read.error().describe() << "\n" << yaml;
  return read ? *std::move(read) : Value();
}

inline Object test_object(std::string_view yaml) {
  Value read = test_value(yaml);
  EXPECT_TRUE(read.is_object()) << "expected an object, found\n" << yaml;
  return read.is_object() ? std::move(read.get_object()) : Object();
}

}  // namespace fairway::json
