// Structs to JSON and back, over Boost.Describe.
//
//   struct Port { std::string name; std::int32_t node_port = 0; json::Object unknown; };
//   BOOST_DESCRIBE_STRUCT(Port, (), (name, node_port, unknown))
//   Result<Port> port = json::from_json<Port>(value);   Value value = json::to_json(*port);
//
// Members map by name: node_port is "nodePort", and a trailing underscore goes (namespace_ is "namespace").
// Reading: what is missing or null keeps the member's default, unless the field is required; other kinds are
// errors that name the path (`spec.batches[2].name: expected a string, found an integer`). A member
// `json::Object unknown` collects the fields that the struct does not know and to_json() writes them back;
// without one they are ignored. Writing: in the order of the description; empty optionals, empty containers
// and null Values are left out.
//
// What differs from that stands in a table beside the struct (or enum), found by argument-dependent lookup:
//
//   constexpr auto json_fields(const Port*) {
//     return std::array{json::Field{.member = "cluster_ip", .json = "clusterIP"},
//                       json::Field{.member = "name", .required = true},
//                       json::Field{.member = "node_port", .omit_empty = true}};
//   }
//
// Types: bool, integers (range-checked), double, std::string, WallTime (RFC 3339), MicroTime, Duration (Go's
// notation), optional, vector, map by string, described structs and enums, Value, Object, Array, and whatever
// has a Codec of its own.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "json/codec_impl.hpp"
#include "json/codec_types.hpp"
#include "json/value.hpp"

namespace fairway::json {

template <class T>
Result<T> from_json(const Value& value) {
  T out{};
  detail::Failure failure;
  if (detail::read(value, out, failure)) return out;
  return std::unexpected(std::move(failure).to_error());
}

template <class T>
Result<T> from_json(const Object& object) {
  T out{};
  detail::Failure failure;
  if (detail::read_struct(object, out, failure)) return out;
  return std::unexpected(std::move(failure).to_error());
}

template <class T>
Value to_json(const T& value) {
  return detail::write(value);
}

// The same for a struct that becomes an object.
template <class T>
Object to_object(const T& value) {
  return detail::write_struct(value);
}

// The JSON text of an enumerator; enumerators outside their enumeration are impossible states.
template <class E>
std::string_view enum_text(E value);
template <class E>
std::optional<E> enum_from_text(std::string_view text);

}  // namespace fairway::json
