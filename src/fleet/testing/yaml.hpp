// Objects for tests, written as people write them. One that cannot be read fails the test.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string_view>

#include "json/yaml.hpp"

namespace fairway::fleet::testing {

inline std::shared_ptr<const json::Object> yaml(std::string_view text) {
  auto read = json::parse_yaml(text);
  EXPECT_TRUE(read) << read.error().describe();
  return std::make_shared<const json::Object>(read ? read->get_object() : json::Object());
}

}  // namespace fairway::fleet::testing
