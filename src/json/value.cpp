#include "json/value.hpp"

#include <algorithm>
#include <cmath>

namespace fairway::json {
namespace {

namespace bj = boost::json;

// Numbers of different kinds, by their value: 1 and 1.0 are the same number. A double is converted exactly
// where it can hold an integer at all; comparing the integer as a double would find 2^53 + 1 equal to 2^53.
bool same_number(const Value& left, const Value& right) {
  if (left.is_double() && right.is_double()) return left.get_double() == right.get_double();
  if (right.is_double()) return same_number(right, left);
  if (!left.is_double()) return left == right;
  const double number = left.get_double();
  if (std::trunc(number) != number) return false;
  if (number >= -0x1p63 && number < 0x1p63) return Value(static_cast<std::int64_t>(number)) == right;
  if (number >= 0 && number < 0x1p64) return Value(static_cast<std::uint64_t>(number)) == right;
  return false;
}

}  // namespace

std::string_view kind_name(const Value& value) {
  switch (value.kind()) {
    case bj::kind::null:
      return "null";
    case bj::kind::bool_:
      return "boolean";
    case bj::kind::int64:
    case bj::kind::uint64:
      return "integer";
    case bj::kind::double_:
      return "number";
    case bj::kind::string:
      return "string";
    case bj::kind::array:
      return "array";
    case bj::kind::object:
      return "object";
  }
  FAIRWAY_CHECK(false, "a JSON kind outside its enumeration");
}

std::string_view a_kind(const Value& value) {
  switch (value.kind()) {
    case bj::kind::null:
      return "null";
    case bj::kind::bool_:
      return "a boolean";
    case bj::kind::int64:
    case bj::kind::uint64:
      return "an integer";
    case bj::kind::double_:
      return "a number";
    case bj::kind::string:
      return "a string";
    case bj::kind::array:
      return "an array";
    case bj::kind::object:
      return "an object";
  }
  FAIRWAY_CHECK(false, "a JSON kind outside its enumeration");
}

bool same_value(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return same_number(left, right);
  if (left.kind() != right.kind()) return false;
  if (const Object* object = left.if_object()) return same_value(*object, right.get_object());
  if (const Array* array = left.if_array()) {
    return std::ranges::equal(*array, right.get_array(),
                              [](const Value& a, const Value& b) { return same_value(a, b); });
  }
  return left == right;
}

bool same_value(const Object& left, const Object& right) {
  if (left.size() != right.size()) return false;
  return std::ranges::all_of(left, [&](const auto& member) {
    const Value* other = right.if_contains(member.key());
    return other != nullptr && same_value(member.value(), *other);
  });
}

const Value* find(const Object& object, Path path) {
  const Object* here = &object;
  const Value* found = nullptr;
  for (std::string_view key : path) {
    if (here == nullptr) return nullptr;
    found = here->if_contains(key);
    if (found == nullptr) return nullptr;
    here = found->if_object();
  }
  return found;
}

Value* find(Object& object, Path path) {
  return const_cast<Value*>(find(std::as_const(object), path));
}

std::optional<std::string_view> get_string(const Object& object, Path path) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return view(value->get_string());
}

std::string text_at(const Object& object, Path path) {
  return std::string(get_string(object, path).value_or(""));
}

std::optional<std::int64_t> get_int(const Object& object, Path path) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

std::optional<bool> get_bool(const Object& object, Path path) {
  const Value* value = find(object, path);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->get_bool();
}

const Object* get_object(const Object& object, Path path) {
  const Value* value = find(object, path);
  return value == nullptr ? nullptr : value->if_object();
}

const Array* get_array(const Object& object, Path path) {
  const Value* value = find(object, path);
  return value == nullptr ? nullptr : value->if_array();
}

Object& ensure_object(Object& object, Path path) {
  Object* here = &object;
  for (std::string_view key : path) {
    Value& next = (*here)[key];
    if (!next.is_object()) next.emplace_object();
    here = &next.get_object();
  }
  return *here;
}

bool remove(Object& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  object.stable_erase(found);
  return true;
}

}  // namespace fairway::json
