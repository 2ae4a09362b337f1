// Objects for tests, written as people write them. One that cannot be read fails the test.
#pragma once

#include <memory>
#include <string_view>

#include "json/testing/objects.hpp"

namespace fairway::fleet::testing {

inline std::shared_ptr<const json::Object> yaml(std::string_view text) {
  return std::make_shared<const json::Object>(json::test_object(text));
}

}  // namespace fairway::fleet::testing
