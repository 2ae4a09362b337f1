// Shorthands of the schema, patch and apply tests.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/schema.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"

namespace fairway::json::testing_support {

inline Value json(std::string_view text) {
  auto value = parse(text);
  EXPECT_TRUE(value.has_value()) << text << ": " << (value ? "" : value.error().describe());
  return value ? *std::move(value) : Value();
}

inline Object object(std::string_view text) {
  Value value = json(text);
  EXPECT_TRUE(value.is_object()) << text;
  return value.is_object() ? std::move(value.get_object()) : Object{};
}

inline std::shared_ptr<const Schema> compiled(std::string_view text, const SchemaOptions& options = {}) {
  auto schema = compile_schema(json(text), options);
  EXPECT_TRUE(schema.has_value()) << text << ": " << (schema ? "" : schema.error().describe());
  return schema ? *std::move(schema) : std::make_shared<const Schema>();
}

// A part of an object: not structural, no metadata implied.
inline std::shared_ptr<const Schema> compiled_part(std::string_view text) {
  return compiled(text, {.structural = false, .resource_root = false});
}

inline std::vector<std::string> texts(const FieldErrors& errors) {
  std::vector<std::string> out;
  for (const FieldError& error : errors) out.push_back(error.text());
  return out;
}

}  // namespace fairway::json::testing_support
