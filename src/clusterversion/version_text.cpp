#include "clusterversion/version_text.hpp"

#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kIdentifier = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";

bool has_only(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text.front() == '0';
}

std::optional<std::string> wrong_number(std::string_view part, std::string_view name) {
  if (!has_only(part, kDigits))
    return fmt::format("Invalid character(s) found in {} number {}", name, quoted(part));
  if (has_leading_zero(part)) {
    std::string capitalised(name);
    capitalised.front() = static_cast<char>(capitalised.front() - 'a' + 'A');
    return fmt::format("{} number must not contain leading zeroes {}", capitalised, quoted(part));
  }
  if (part.empty()) return R"(strconv.ParseUint: parsing "": invalid syntax)";
  if (!parse_unsigned(part))
    return fmt::format("strconv.ParseUint: parsing {}: value out of range", quoted(part));
  return std::nullopt;
}

std::optional<std::string> wrong_prerelease(std::string_view part) {
  if (part.empty()) return "Prerelease is empty";
  if (has_only(part, kDigits)) {
    if (has_leading_zero(part))
      return fmt::format("Numeric PreRelease version must not contain leading zeroes {}", quoted(part));
    return std::nullopt;
  }
  if (!has_only(part, kIdentifier))
    return fmt::format("Invalid character(s) found in prerelease {}", quoted(part));
  return std::nullopt;
}

std::optional<std::string> wrong_build(std::string_view part) {
  if (part.empty()) return "Build meta data is empty";
  if (!has_only(part, kIdentifier))
    return fmt::format("Invalid character(s) found in build meta data {}", quoted(part));
  return std::nullopt;
}

// What follows `mark` is cut off and returned; nothing when there is no mark.
std::optional<std::string_view> cut_after(std::string_view& text, char mark) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

std::optional<std::string> what_is_wrong(std::string_view text) {
  if (text.empty()) return "Version string empty";
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return "No Major.Minor.Patch elements found";
  if (auto wrong = wrong_number(text.substr(0, first), "major")) return wrong;
  if (auto wrong = wrong_number(text.substr(first + 1, second - first - 1), "minor")) return wrong;
  std::string_view patch = text.substr(second + 1);
  const auto build = cut_after(patch, '+');
  const auto prerelease = cut_after(patch, '-');
  if (auto wrong = wrong_number(patch, "patch")) return wrong;
  if (prerelease) {
    for (const std::string_view part : split(*prerelease, '.')) {
      if (auto wrong = wrong_prerelease(part)) return wrong;
    }
  }
  if (build) {
    for (const std::string_view part : split(*build, '.')) {
      if (auto wrong = wrong_build(part)) return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<SemVer> parse_version(std::string_view text) {
  if (auto wrong = what_is_wrong(text)) return fail(ErrorCode::Invalid, *std::move(wrong));
  return SemVer::parse(text);
}

std::string minor_of(const SemVer& version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

}  // namespace fairway::clusterversion
