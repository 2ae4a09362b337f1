// FieldError: what is wrong with one field of an object, in the words of the Kubernetes API.
//
// text() and reason() are what a real API server writes into Status.message and Status.details.causes, byte
// for byte, so that tools which read them work unchanged. Plain values, owned by whoever validates. Paths are
// built with the three functions below: spec.versions[0].schema.properties[name].
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace fairway::json {

struct FieldError {
  enum class Type {
    NotFound,
    Required,
    Duplicate,
    Invalid,
    NotSupported,
    Forbidden,
    TooLong,
    TooMany,
    Internal,
    TypeInvalid,
  };

  Type type = Type::Invalid;
  std::string field;
  Value bad_value;
  std::string detail;

  static FieldError required(std::string field, std::string detail = {});
  static FieldError duplicate(std::string field, Value value);
  static FieldError invalid(std::string field, Value value, std::string detail);
  static FieldError type_invalid(std::string field, Value value, std::string detail);
  static FieldError not_supported(std::string field, Value value, std::span<const std::string> supported);
  static FieldError forbidden(std::string field, std::string detail);
  static FieldError too_long(std::string field, std::int64_t limit);
  static FieldError too_many(std::string field, std::int64_t actual, std::int64_t limit);

  std::string_view reason() const;  // FieldValueInvalid, FieldValueRequired, …
  std::string body() const;         // Invalid value: -1: should be greater than or equal to 0
  std::string text() const;         // spec.replicas: Invalid value: -1: …

  bool operator==(const FieldError&) const = default;
};

using FieldErrors = std::vector<FieldError>;

// One error as it is; several as [a, b], each only once.
std::string describe(const FieldErrors& errors);

std::string child_path(std::string_view path, std::string_view name);  // spec.name; name alone at the root
std::string index_path(std::string_view path, std::size_t index);      // spec[3]
std::string key_path(std::string_view path, std::string_view key);     // spec[key]

// Values as Go prints them, because messages of the Kubernetes API contain such text.
std::string go_quoted(std::string_view text);  // %q
std::string go_plain(const Value& value);      // %v: map[a:1 b:[x y]]
std::string go_syntax(const Value& value);     // %#v: map[string]interface {}{"a":1}
std::string_view go_type(const Value& value);  // %T: map[string]interface {}
std::string go_number(double number);          // %v: 1e+06

}  // namespace fairway::json
