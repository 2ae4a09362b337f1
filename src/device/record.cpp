#include "device/record.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "device/names.hpp"

namespace fairway::device {

Result<json::Object> parse_record(std::string_view text) {
  if (trim(text).empty()) return fail(ErrorCode::Invalid, "expected a JSON object, found an empty file");
  FAIRWAY_TRY(auto object, json::parse_object(text, {.max_depth = 16, .max_bytes = kMaxRecordBytes}));
  const auto schema = json::get_int(object, {"schema"});
  if (!schema) return fail(ErrorCode::Invalid, "schema: expected 1, found nothing");
  if (*schema != kSchema)
    return fail(ErrorCode::Invalid, fmt::format("schema: expected 1, found {}", *schema));
  return object;
}

const json::Value* RecordReader::find(std::string_view key) const {
  const json::Value* value = json::find(object_, {key});
  return value != nullptr && !value->is_null() ? value : nullptr;
}

void RecordReader::complain(std::string_view key, std::string_view expected) {
  if (problem_) return;
  const json::Value* value = find(key);
  problem_ = Error{ErrorCode::Invalid, fmt::format("{}: expected {}, found {}", key, expected,
                                                   value == nullptr ? "nothing" : json::serialize(*value))};
  if (problem_->message.size() > 300) problem_->message.resize(300);
}

void RecordReader::adopt(std::string_view key, RecordReader& nested) {
  if (problem_ || !nested.problem_) return;
  problem_ = Error{nested.problem_->code, fmt::format("{}.{}", key, nested.problem_->message)};
}

std::optional<std::string> RecordReader::optional_text(std::string_view key) {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    complain(key, "a text");
    return std::nullopt;
  }
  return std::string(json::view(value->get_string()));
}

std::string RecordReader::text(std::string_view key) {
  auto found = optional_text(key);
  if (!found) complain(key, "a text");
  return std::move(found).value_or("");
}

std::uint64_t RecordReader::number(std::string_view key) {
  const auto found = json::get_int(object_, {key});
  if (!found || *found < 0) {
    complain(key, "a whole number from 0 up");
    return 0;
  }
  return static_cast<std::uint64_t>(*found);
}

std::uint64_t RecordReader::number_or(std::string_view key, std::uint64_t otherwise) {
  return find(key) == nullptr ? otherwise : number(key);
}

std::optional<AppVersion> RecordReader::optional_version(std::string_view key) {
  const auto found = optional_text(key);
  if (!found) return std::nullopt;
  const auto version = AppVersion::parse(*found);
  if (!version) {
    complain(key, "a version Major.Minor.Patch");
    return std::nullopt;
  }
  return *version;
}

AppVersion RecordReader::version(std::string_view key) {
  const auto found = optional_version(key);
  if (!found) complain(key, "a version Major.Minor.Patch");
  return found.value_or(AppVersion{});
}

std::optional<std::string> RecordReader::optional_deployment(std::string_view key) {
  auto found = optional_text(key);
  if (found && !is_deployment_name(*found)) {
    complain(key, "a deployment id");
    return std::nullopt;
  }
  return found;
}

std::string RecordReader::deployment(std::string_view key) {
  auto found = optional_text(key);
  if (!found || (!found->empty() && !is_deployment_name(*found))) complain(key, "a deployment id");
  return std::move(found).value_or("");
}

std::string RecordReader::boot(std::string_view key) {
  const auto found = optional_text(key);
  if (!found || found->empty()) return "";
  const auto boot = parse_boot_id(*found);
  if (!boot) complain(key, "a boot id of 32 hexadecimal digits");
  return boot.value_or("");
}

const json::Object* RecordReader::object(std::string_view key) {
  const json::Value* value = find(key);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) {
    complain(key, "an object");
    return nullptr;
  }
  return &value->get_object();
}

}  // namespace fairway::device
