// AppVersion: the application's version as devices compare it: three numbers.
//
// A pre-release or build tail (`4.14.0-rc.1`, `4.14.0~rc1`) is kept for people and does not count. Two
// numbers, signs and blanks inside are errors, in MicroShift's words.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::device {

struct AppVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  std::string tail = {};  // with the character that begins it

  static Result<AppVersion> parse(std::string_view text);
  // The first word of a program's answer that is a version: "MicroShift Version: 4.14.0".
  static Result<AppVersion> find_in(std::string_view output);

  std::string to_string() const;   // without the tail
  std::string minor_text() const;  // "4.14"

  bool same_minor(const AppVersion& other) const { return major == other.major && minor == other.minor; }
  bool is_older_minor_than(const AppVersion& other) const {
    return major < other.major || (major == other.major && minor < other.minor);
  }

  bool operator==(const AppVersion& other) const { return (*this <=> other) == 0; }
  std::strong_ordering operator<=>(const AppVersion& other) const;
};

}  // namespace fairway::device
