#include "device/names.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::device {
namespace {

constexpr std::array kStateNames = {kNextBoot, kLatest, kJournal, kLock, kHistory, kFailureLog};
constexpr std::string_view kOlderHistory = "history.1";
constexpr std::string_view kTemporaryPrefix = ".tmp.";

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_temporary(std::string_view name) {
  if (!name.starts_with(kTemporaryPrefix)) return false;
  const auto rest = name.substr(kTemporaryPrefix.size());
  const auto dot = rest.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  const auto operation = rest.substr(0, dot);
  return is_number(rest.substr(dot + 1)) &&
         std::ranges::all_of(operation, [](char c) { return is_letter(c) || c == '_'; });
}

// <id>_<32 hex>.unhealthy
bool is_unhealthy(std::string_view name) {
  if (!name.ends_with(kUnhealthySuffix)) return false;
  name.remove_suffix(kUnhealthySuffix.size());
  if (name.size() < 34) return false;
  const auto boot = name.substr(name.size() - 32);
  return name[name.size() - 33] == '_' && std::ranges::all_of(boot, is_hex) &&
         is_deployment_name(name.substr(0, name.size() - 33));
}

bool is_unverified(std::string_view name) {
  if (!name.ends_with(kUnverifiedSuffix)) return false;
  return is_deployment_name(name.substr(0, name.size() - kUnverifiedSuffix.size()));
}

}  // namespace

bool is_ostree_id(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == std::string_view::npos || !is_number(text.substr(dot + 1))) return false;
  const auto before = text.substr(0, dot);
  if (before.size() < 66) return false;  // one letter, a dash and the checksum
  const auto checksum = before.substr(before.size() - 64);
  const auto os = before.substr(0, before.size() - 65);
  return before[before.size() - 65] == '-' && !os.starts_with('.') &&
         os.find('/') == std::string_view::npos && std::ranges::all_of(checksum, is_hex);
}

bool is_version_name(std::string_view text) {
  const auto parts = split(text, '.');
  return (parts.size() == 2 || parts.size() == 3) && std::ranges::all_of(parts, is_number);
}

bool is_deployment_name(std::string_view text) {
  if (text.empty() || text.size() > 200 || text.front() == '.') return false;
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-' || c == '+' || c == ':' ||
           c == '~';
  };
  if (!std::ranges::all_of(text, is_allowed)) return false;
  if (std::ranges::find(kStateNames, text) != kStateNames.end() || text == kOlderHistory) return false;
  return !text.ends_with(kManifestSuffix) && !text.ends_with(kUnverifiedSuffix) &&
         !text.ends_with(kUnhealthySuffix) && !text.ends_with(".corrupt");
}

EntryKind classify(std::string_view name) {
  if (std::ranges::find(kStateNames, name) != kStateNames.end() || name == kOlderHistory)
    return EntryKind::State;
  if (is_temporary(name)) return EntryKind::Temporary;
  if (is_unhealthy(name)) return EntryKind::Unhealthy;
  if (is_unverified(name)) return EntryKind::Unverified;
  if (name.ends_with(kManifestSuffix)) {
    const auto kind = classify(name.substr(0, name.size() - kManifestSuffix.size()));
    const bool is_ours =
        kind == EntryKind::Backup || kind == EntryKind::Unverified || kind == EntryKind::Unhealthy;
    return is_ours ? EntryKind::Manifest : EntryKind::Unknown;
  }
  return is_deployment_name(name) ? EntryKind::Backup : EntryKind::Unknown;
}

std::optional<std::string> parse_boot_id(std::string_view text) {
  std::string hex;
  for (const char c : trim(text)) {
    if (c == '-') continue;
    if (!is_hex(c)) return std::nullopt;
    hex += c;
  }
  return hex.size() == 32 ? std::optional(std::move(hex)) : std::nullopt;
}

std::string manifest_name(std::string_view backup) {
  return fmt::format("{}{}", backup, kManifestSuffix);
}

std::string unverified_name(std::string_view deployment) {
  return fmt::format("{}{}", deployment, kUnverifiedSuffix);
}

std::string unhealthy_name(std::string_view deployment, std::string_view boot) {
  return fmt::format("{}_{}{}", deployment, boot, kUnhealthySuffix);
}

std::string temporary_name(std::string_view operation, std::uint64_t number) {
  return fmt::format("{}{}.{}", kTemporaryPrefix, operation, number);
}

std::string restore_name(std::string_view data, std::uint64_t number) {
  return fmt::format(".{}.restore.{}", data, number);
}

bool is_restore_name(std::string_view name, std::string_view data) {
  const std::string prefix = fmt::format(".{}.restore.", data);
  return name.starts_with(prefix) && is_number(name.substr(prefix.size()));
}

}  // namespace fairway::device
