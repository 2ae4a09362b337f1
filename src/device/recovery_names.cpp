#include "device/recovery_names.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/names.hpp"
#include "device/record.hpp"
#include "json/value.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kStampDigits = 14;

}  // namespace

std::string recovery_name(WallTime time, std::string_view of) {
  std::string stamp;
  for (const char c : format_rfc3339(time)) {  // 2026-11-16T11:33:18Z
    if (c >= '0' && c <= '9') stamp += c;
  }
  return fmt::format("{}_{}", stamp.substr(0, kStampDigits), of);
}

std::optional<std::string> recovery_subject(std::string_view name) {
  if (name.size() <= kStampDigits + 1 || name[kStampDigits] != '_') return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::ranges::all_of(name.substr(0, kStampDigits), is_digit)) return std::nullopt;
  const std::string_view subject = name.substr(kStampDigits + 1);
  return is_deployment_name(subject) ? std::optional(std::string(subject)) : std::nullopt;
}

std::optional<std::string> choose_recovery(const std::vector<std::string>& names, std::string_view of,
                                           std::string_view last) {
  std::optional<std::string> newest;
  for (const std::string& name : names) {
    if (name == last || recovery_subject(name) != of) continue;
    if (!newest || *newest < name) newest = name;
  }
  return newest;
}

Result<std::string> parse_recovery_state(std::string_view text) {
  FAIRWAY_TRY(const auto object, json::parse_object(text, {.max_depth = 8, .max_bytes = kMaxRecordBytes}));
  const auto last = json::get_string(object, {"LastBackup"});
  if (!last) return fail(ErrorCode::Invalid, "LastBackup: expected a text, found nothing");
  if (!last->empty() && !recovery_subject(*last))
    return fail(ErrorCode::Invalid,
                fmt::format("LastBackup: expected the name of a backup, found {}", quoted(*last)));
  return std::string(*last);
}

std::string serialize_recovery_state(std::string_view last) {
  return json::serialize(json::Object{{"LastBackup", last}}) + "\n";
}

}  // namespace fairway::device
