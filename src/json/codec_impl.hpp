// The templates behind json/codec.hpp, which is what to include. What does not depend on a type of the
// caller's is in codec.cpp: the templates only walk descriptions, so that a struct costs its users little to
// compile.
#pragma once

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "json/codec_types.hpp"
#include "json/value.hpp"

namespace fairway::json {

template <class E>
std::string_view enum_text(E value);
template <class E>
std::optional<E> enum_from_text(std::string_view text);

}  // namespace fairway::json

namespace fairway::json::detail {

// Why reading failed and where; the path is put together on the way out, so that success costs nothing.
struct Failure {
  std::string path;
  std::string message;

  void under(std::string_view name);
  void under(std::size_t index);
  void under_key(std::string_view key);
  Error to_error() &&;
};

bool mismatch(const Value& found, std::string_view expected, Failure& failure);
bool missing(std::string_view name, Failure& failure);
bool unknown_word(const Value& found, std::vector<std::string> allowed, Failure& failure);

bool read(const Value& value, bool& out, Failure& failure);
bool read(const Value& value, double& out, Failure& failure);
bool read(const Value& value, std::string& out, Failure& failure);
bool read(const Value& value, WallTime& out, Failure& failure);
bool read(const Value& value, MicroTime& out, Failure& failure);
bool read(const Value& value, Duration& out, Failure& failure);
bool read(const Value& value, Value& out, Failure& failure);
bool read(const Value& value, Object& out, Failure& failure);
bool read(const Value& value, Array& out, Failure& failure);
bool read_integer(const Value& value, std::int64_t least, std::uint64_t most, std::int64_t& out,
                  Failure& failure);

inline Value write(bool value) {
  return value;
}
inline Value write(double value) {
  return value;
}
Value write(const std::string& value);
Value write(WallTime value);
Value write(MicroTime value);
Value write(Duration value);
inline Value write(const Value& value) {
  return value;
}
inline Value write(const Object& value) {
  return value;
}
inline Value write(const Array& value) {
  return value;
}

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Enum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept Struct = boost::describe::has_describe_members<T>::value && !std::is_enum_v<T>;
template <class T>
concept HasCodec = requires(const Value& value, const T& object) {
  { Codec<T>::read(value) } -> std::same_as<Result<T>>;
  { Codec<T>::write(object) } -> std::same_as<Value>;
};

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_vector = false;
template <class T, class A>
constexpr bool is_vector<std::vector<T, A>> = true;
template <class T>
constexpr bool is_map = false;
template <class T, class C, class A>
constexpr bool is_map<std::map<std::string, T, C, A>> = true;
template <class T>
constexpr bool is_container = is_vector<T> || is_map<T> || std::same_as<T, Object> || std::same_as<T, Array>;

// A member's name in JSON and its rules, worked out by the compiler.
struct FieldRule {
  std::array<char, 64> text{};
  std::size_t size = 0;
  bool required = false;
  bool omit_empty = false;
  bool keep_empty = false;

  constexpr std::string_view name() const { return {text.data(), size}; }
  constexpr void append(char c) { text.at(size++) = c; }  // a longer name does not compile
};

template <class T>
constexpr FieldRule make_rule(std::string_view member, bool is_member) {
  FieldRule rule;
  std::string_view given;
  if constexpr (requires { json_fields(static_cast<const T*>(nullptr)); }) {
    for (const Field& field : json_fields(static_cast<const T*>(nullptr))) {
      if (field.member != member && field.member != "*") continue;
      if (!field.json.empty()) given = field.json;
      rule.required |= field.required;
      rule.omit_empty |= field.omit_empty;
      rule.keep_empty |= field.keep_empty;
    }
  }
  if (!given.empty() || !is_member) {
    for (char c : given.empty() ? member : given) rule.append(c);
    return rule;
  }
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (member[i] != '_') {
      rule.append(member[i]);
    } else if (i + 1 < member.size()) {
      const char c = member[++i];
      rule.append(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    }
  }
  return rule;
}

template <class T, class Descriptor>
inline constexpr FieldRule kRule = make_rule<T>(Descriptor::name, Struct<T>);

template <class T>
using Members =
    boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

template <class T, class Descriptor>
using MemberType = std::remove_cvref_t<decltype(std::declval<T&>().*Descriptor::pointer)>;

// Whether this member is the one that collects unknown fields.
template <class T, class Descriptor>
inline constexpr bool kIsUnknown =
    std::string_view(Descriptor::name) == "unknown" && std::same_as<MemberType<T, Descriptor>, Object>;

template <class T>
bool read(const Value& value, T& out, Failure& failure);
template <class T>
Value write(const T& value);
template <Struct T>
Object write_struct(const T& value);

template <Enum E>
bool read_enum(const Value& value, E& out, Failure& failure) {
  if (!value.is_string()) return mismatch(value, "a string", failure);
  if (const auto found = enum_from_text<E>(view(value.get_string()))) {
    out = *found;
    return true;
  }
  std::vector<std::string> allowed;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>(
      [&](auto descriptor) { allowed.emplace_back(kRule<E, decltype(descriptor)>.name()); });
  return unknown_word(value, std::move(allowed), failure);
}

template <Struct T>
bool is_known(std::string_view name) {
  bool known = false;
  boost::mp11::mp_for_each<Members<T>>([&](auto descriptor) {
    using D = decltype(descriptor);
    if constexpr (!kIsUnknown<T, D>) known = known || kRule<T, D>.name() == name;
  });
  return known;
}

template <Struct T>
bool read_struct(const Object& object, T& out, Failure& failure) {
  bool good = true;
  boost::mp11::mp_for_each<Members<T>>([&](auto descriptor) {
    using D = decltype(descriptor);
    if (!good) return;
    if constexpr (kIsUnknown<T, D>) {
      for (const auto& member : object) {
        if (!is_known<T>(member.key())) (out.*D::pointer).insert_or_assign(member.key(), member.value());
      }
    } else {
      constexpr const FieldRule& rule = kRule<T, D>;
      const Value* value = object.if_contains(rule.name());
      if (value == nullptr || value->is_null()) {
        good = !rule.required || missing(rule.name(), failure);
      } else if (!read(*value, out.*D::pointer, failure)) {
        failure.under(rule.name());
        good = false;
      }
    }
  });
  return good;
}

template <class T>
bool read_vector(const Value& value, std::vector<T>& out, Failure& failure) {
  const Array* array = value.if_array();
  if (array == nullptr) return mismatch(value, "an array", failure);
  out.clear();
  out.reserve(array->size());
  for (const Value& element : *array) {
    T item{};
    if (!read(element, item, failure)) {
      failure.under(out.size());
      return false;
    }
    out.push_back(std::move(item));
  }
  return true;
}

template <class Map>
bool read_map(const Value& value, Map& out, Failure& failure) {
  const Object* object = value.if_object();
  if (object == nullptr) return mismatch(value, "an object", failure);
  out.clear();
  for (const auto& member : *object) {
    typename Map::mapped_type item{};
    if (!read(member.value(), item, failure)) {
      failure.under_key(member.key());
      return false;
    }
    out.insert_or_assign(std::string(member.key()), std::move(item));
  }
  return true;
}

template <class T>
bool read(const Value& value, T& out, Failure& failure) {
  if constexpr (HasCodec<T>) {
    auto result = Codec<T>::read(value);
    if (result) {
      out = *std::move(result);
      return true;
    }
    failure.message = std::move(result).error().message;
    return false;
  } else if constexpr (Integer<T>) {
    std::int64_t number = 0;
    if (!read_integer(value, static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                      static_cast<std::uint64_t>(std::numeric_limits<T>::max()), number, failure)) {
      return false;
    }
    out = static_cast<T>(number);
    return true;
  } else if constexpr (Enum<T>) {
    return read_enum(value, out, failure);
  } else if constexpr (is_optional<T>) {
    if (value.is_null()) {
      out.reset();
      return true;
    }
    return read(value, out.emplace(), failure);
  } else if constexpr (is_vector<T>) {
    return read_vector(value, out, failure);
  } else if constexpr (is_map<T>) {
    return read_map(value, out, failure);
  } else {
    static_assert(Struct<T>, "describe the struct with BOOST_DESCRIBE_STRUCT, or give it a json::Codec");
    const Object* object = value.if_object();
    if (object == nullptr) return mismatch(value, "an object", failure);
    return read_struct(*object, out, failure);
  }
}

template <class T>
Value write(const T& value) {
  if constexpr (HasCodec<T>) {
    return Codec<T>::write(value);
  } else if constexpr (Integer<T>) {
    return Value(value);
  } else if constexpr (Enum<T>) {
    return Value(enum_text(value));
  } else if constexpr (is_optional<T>) {
    return value ? write(*value) : Value(nullptr);
  } else if constexpr (is_vector<T>) {
    Array array;
    array.reserve(value.size());
    for (const auto& element : value) array.push_back(write(element));
    return array;
  } else if constexpr (is_map<T>) {
    Object object;
    object.reserve(value.size());
    for (const auto& [key, member] : value) object.emplace(key, write(member));
    return object;
  } else {
    static_assert(Struct<T>, "describe the struct with BOOST_DESCRIBE_STRUCT, or give it a json::Codec");
    return write_struct(value);
  }
}

// Whether a member is left out; `written` is its value in JSON.
template <class T>
bool is_left_out(const T& member, const Value& written, const FieldRule& rule) {
  if constexpr (is_optional<T>) return !member;
  if constexpr (std::same_as<T, Value>) return member.is_null() && !rule.keep_empty;
  if constexpr (is_container<T>) return member.empty() && !rule.keep_empty;
  if (!rule.omit_empty) return false;
  if constexpr (HasCodec<T>) return Codec<T>::is_empty(member);
  if constexpr (Struct<T>) return written.get_object().empty();
  if constexpr (std::equality_comparable<T>) return member == T{};
  return false;
}

template <Struct T>
Object write_struct(const T& value) {
  Object object;
  boost::mp11::mp_for_each<Members<T>>([&](auto descriptor) {
    using D = decltype(descriptor);
    if constexpr (!kIsUnknown<T, D>) {
      constexpr const FieldRule& rule = kRule<T, D>;
      Value written = write(value.*D::pointer);
      if (!is_left_out(value.*D::pointer, written, rule)) object.emplace(rule.name(), std::move(written));
    }
  });
  boost::mp11::mp_for_each<Members<T>>([&](auto descriptor) {
    using D = decltype(descriptor);
    if constexpr (kIsUnknown<T, D>) {
      for (const auto& member : value.*D::pointer) object.emplace(member.key(), member.value());
    }
  });
  return object;
}

}  // namespace fairway::json::detail

namespace fairway::json {

template <class E>
std::string_view enum_text(E value) {
  std::string_view text;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto descriptor) {
    using D = decltype(descriptor);
    if (D::value == value) text = detail::kRule<E, D>.name();
  });
  FAIRWAY_CHECK(text.data() != nullptr, "an enumerator outside its enumeration");
  return text;
}

template <class E>
std::optional<E> enum_from_text(std::string_view text) {
  std::optional<E> found;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto descriptor) {
    using D = decltype(descriptor);
    if (detail::kRule<E, D>.name() == text) found = D::value;
  });
  return found;
}

}  // namespace fairway::json
