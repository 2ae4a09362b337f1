// Record: how the small JSON files of a device are read: bounded, typed, one error that says what is wrong.
//
// A file is Absent, Corrupt or a value. Corrupt is never treated as Absent: the two lead to opposite
// decisions. RecordReader collects the first problem, so that a reader lists its fields without a check after
// each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "device/app_version.hpp"
#include "json/value.hpp"

namespace fairway::device {

inline constexpr std::int64_t kSchema = 1;
inline constexpr std::size_t kMaxRecordBytes = 256 * 1024;

struct Absent {
  bool operator==(const Absent&) const = default;
};
struct Corrupt {
  std::string why = {};
  bool operator==(const Corrupt&) const = default;
};
template <class T>
using Found = std::variant<Absent, Corrupt, T>;

template <class T>
const T* value_of(const Found<T>& found) {
  return std::get_if<T>(&found);
}
template <class T>
const Corrupt* problem_of(const Found<T>& found) {
  return std::get_if<Corrupt>(&found);
}

// The object of a record, its schema checked.
Result<json::Object> parse_record(std::string_view text);

class RecordReader {
 public:
  explicit RecordReader(const json::Object& object) : object_(object) {}

  std::string text(std::string_view key);
  std::optional<std::string> optional_text(std::string_view key);
  std::uint64_t number(std::string_view key);
  std::uint64_t number_or(std::string_view key, std::uint64_t otherwise);
  AppVersion version(std::string_view key);
  std::optional<AppVersion> optional_version(std::string_view key);
  std::string deployment(std::string_view key);  // "" is allowed: not known
  std::optional<std::string> optional_deployment(std::string_view key);
  std::string boot(std::string_view key);  // "" is allowed
  // Null when missing; an error when it is not an object.
  const json::Object* object(std::string_view key);

  void complain(std::string_view key, std::string_view expected);
  // A reader of a nested object tells its problem to this one.
  void adopt(std::string_view key, RecordReader& nested);
  std::optional<Error> problem() const { return problem_; }

 private:
  const json::Value* find(std::string_view key) const;

  const json::Object& object_;
  std::optional<Error> problem_ = {};
};

}  // namespace fairway::device
