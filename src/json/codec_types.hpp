// The plain types of json/codec.hpp, which is what to include: rows of the table beside a struct, and the
// hook for types that have a form of their own in JSON.
#pragma once

#include <compare>
#include <string_view>

#include "base/clock.hpp"

namespace fairway::json {

// One row of a json_fields() table. `member` is the member's or enumerator's name, or "*" for all.
struct Field {
  std::string_view member;
  std::string_view json = {};  // its name in JSON, where the rule does not give it
  bool required = false;       // reading fails when it is missing or null
  bool omit_empty = false;     // also "", 0, false and structs without members are left out
  bool keep_empty = false;     // empty containers are written too
};

// metav1.MicroTime: as WallTime, written with six digits of seconds.
struct MicroTime {
  WallTime time;
  auto operator<=>(const MicroTime&) const = default;
};

// Specialise for a type that is not described:
//   static Result<T> read(const Value&);  static Value write(const T&);  static bool is_empty(const T&);
template <class T>
struct Codec;

}  // namespace fairway::json
