// JSON values: Boost.JSON's, named here so that no other folder includes it.
//
// parse() takes text from outside: it bounds depth and size, refuses duplicate keys, trailing text and
// invalid UTF-8, and names line and column of what is wrong. Objects keep the order of their keys; doubles
// are read and written exactly. The find and get functions read nested fields without ever throwing; a
// missing or differently typed field gives nothing. Functions here recurse as deep as the value, which
// parse() bounds.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;
using String = boost::json::string;
// Where values live: on the heap, or in an Arena (json/arena.hpp). A copy lives where its original does.
using Storage = boost::json::storage_ptr;

struct ParseLimits {
  std::size_t max_depth = 512;
  std::size_t max_bytes = 64 * 1024 * 1024;
  // A member that is read over and left out: its name after the names of the members that it is in. Lists in
  // between have none: items, metadata, managedFields. A name written with escapes is not recognised.
  std::span<const std::string_view> left_out = {};
};

Result<Value> parse(std::string_view text, const ParseLimits& limits = {}, Storage storage = {});
// The same, and an error unless it is an object.
Result<Object> parse_object(std::string_view text, const ParseLimits& limits = {}, Storage storage = {});

// Compact, in one line. json/write.hpp has the same as appending to a text.
std::string serialize(const Value& value);
std::string serialize(const Object& object);
std::string serialize_pretty(const Value& value);  // two blanks of indentation

// "string", "integer", "number", "object", …: for messages.
std::string_view kind_name(const Value& value);
// "a string", "an integer", "null".
std::string_view a_kind(const Value& value);

// Whether both mean the same: keys of objects in any order, numbers by value (1 and 1.0 are the same).
bool same_value(const Value& left, const Value& right);
bool same_value(const Object& left, const Object& right);

// An object seen as a value for as long as this lives, without a copy: what is done to the value is done to
// it.
class Lent {
 public:
  explicit Lent(Object& object) : object_(object), value_(std::move(object)) {}
  ~Lent() { object_ = std::move(value_.get_object()); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  const Value& value() const { return value_; }

 private:
  Object& object_;
  Value value_;
};

using Path = std::initializer_list<std::string_view>;

// The value at metadata → labels → app; null when any step is missing or not an object.
const Value* find(const Object& object, Path path);
Value* find(Object& object, Path path);
std::optional<std::string_view> get_string(const Object& object, Path path);
// The text at the path; empty when there is none.
std::string text_at(const Object& object, Path path);
std::optional<std::int64_t> get_int(const Object& object, Path path);
std::optional<bool> get_bool(const Object& object, Path path);
const Object* get_object(const Object& object, Path path);
const Array* get_array(const Object& object, Path path);

// The object at the path, made where missing; whatever else stood there is replaced.
Object& ensure_object(Object& object, Path path);
// Removes one key and keeps the order of the others; false when it was not there.
bool remove(Object& object, std::string_view key);

inline std::string_view view(const String& text) {
  return {text.data(), text.size()};
}

}  // namespace fairway::json
