#include "device/app_version.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/text.hpp"

namespace fairway::device {
namespace {

std::optional<std::uint32_t> parse_part(std::string_view text) {
  const auto number = parse_unsigned(text);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::unexpected<Error> not_a_version(std::string_view text) {
  text = text.substr(0, 100);
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; });
  return fail(ErrorCode::Invalid, fmt::format("invalid version string ({}): expected Major.Minor.Patch",
                                              is_plain ? std::string(text) : quoted(text)));
}

}  // namespace

Result<AppVersion> AppVersion::parse(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const auto end = trimmed.find_first_of("-~+");
  const std::string_view numbers = trimmed.substr(0, end);
  const auto parts = split(numbers, '.');
  if (parts.size() != 3) return not_a_version(text);
  const auto major = parse_part(parts[0]);
  const auto minor = parse_part(parts[1]);
  const auto patch = parse_part(parts[2]);
  if (!major || !minor || !patch) return not_a_version(text);
  AppVersion version{.major = *major, .minor = *minor, .patch = *patch};
  if (end != std::string_view::npos) {
    version.tail = std::string(trimmed.substr(end));
    if (version.tail.size() == 1 || version.tail.size() > 200 || !is_valid_utf8(version.tail) ||
        version.tail.find_first_of(" \t\r\n\"\\") != std::string::npos)
      return not_a_version(text);
  }
  return version;
}

Result<AppVersion> AppVersion::find_in(std::string_view output) {
  for (std::string_view word : split_words(output, " \t\r\n\",:=")) {
    if (word.starts_with('v')) word.remove_prefix(1);
    if (auto version = parse(word)) return version;
  }
  return not_a_version(trim(output));
}

std::string AppVersion::to_string() const {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::string AppVersion::minor_text() const {
  return fmt::format("{}.{}", major, minor);
}

std::strong_ordering AppVersion::operator<=>(const AppVersion& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  return patch <=> other.patch;
}

}  // namespace fairway::device
