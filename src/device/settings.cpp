#include "device/settings.hpp"

#include <fmt/format.h>
#include <functional>

#include "base/text.hpp"
#include "json/value.hpp"
#include "json/yaml.hpp"

namespace fairway::device {
namespace {

using Setter = std::function<Result<void>(Settings&, const json::Value&)>;

std::unexpected<Error> expected(std::string_view what, const json::Value& value) {
  return fail(ErrorCode::Invalid, fmt::format("expected {}, found {}", what, json::a_kind(value)));
}

Result<std::string> text_of(const json::Value& value) {
  if (!value.is_string()) return expected("a text", value);
  return std::string(json::view(value.get_string()));
}

Result<std::uint32_t> number_of(const json::Value& value) {
  FAIRWAY_TRY(const std::string text, text_of(value));  // numbers are read as they are written
  const auto number = parse_unsigned(text);
  if (!number || *number > 1'000'000)
    return fail(ErrorCode::Invalid, fmt::format("expected a whole number, found {}", quoted(text)));
  return static_cast<std::uint32_t>(*number);
}

Result<void> check_absolute(const std::string& path) {
  if (!path.starts_with('/') || path == "/" || path.ends_with('/') ||
      path.find("/../") != std::string::npos || path.ends_with("/..") || path.find("//") != std::string::npos)
    return fail(ErrorCode::Invalid, fmt::format("expected an absolute path, found {}", quoted(path)));
  return {};
}

Setter text(std::string Settings::* member) {
  return [member](Settings& settings, const json::Value& value) -> Result<void> {
    FAIRWAY_TRY(settings.*member, text_of(value));
    return {};
  };
}

Setter path(std::string Settings::* member) {
  return [member](Settings& settings, const json::Value& value) -> Result<void> {
    FAIRWAY_TRY(settings.*member, text_of(value));
    return check_absolute(settings.*member);
  };
}

Setter texts(std::vector<std::string> Settings::* member) {
  return [member](Settings& settings, const json::Value& value) -> Result<void> {
    if (!value.is_array()) return expected("a list of texts", value);
    std::vector<std::string> found;
    for (const json::Value& item : value.get_array()) {
      FAIRWAY_TRY(std::string each, text_of(item));
      found.push_back(std::move(each));
    }
    settings.*member = std::move(found);
    return {};
  };
}

Result<void> set_last_minor(Settings& settings, const json::Value& value) {
  if (!value.is_object()) return expected("majors with their last minor", value);
  settings.last_minor.clear();
  for (const auto& [key, minor] : value.get_object()) {
    const auto major = parse_unsigned(std::string_view(key.data(), key.size()));
    if (!major || *major > 1'000'000) return fail(ErrorCode::Invalid, "expected a major as the key");
    FAIRWAY_TRY(settings.last_minor[static_cast<std::uint32_t>(*major)], number_of(minor));
  }
  return {};
}

Result<void> set_lock_wait(Settings& settings, const json::Value& value) {
  FAIRWAY_TRY(const std::string duration, text_of(value));
  const auto wait = parse_duration(duration);
  if (!wait || *wait < Duration::zero()) return fail(ErrorCode::Invalid, "expected a time such as 60s");
  settings.lock_wait = *wait;
  return {};
}

Setter flag(bool Settings::* member) {
  return [member](Settings& settings, const json::Value& value) -> Result<void> {
    if (!value.is_bool()) return expected("true or false", value);
    settings.*member = value.get_bool();
    return {};
  };
}

const std::map<std::string, Setter, std::less<>>& setters() {
  static const std::map<std::string, Setter, std::less<>> table = {
      {"name", text(&Settings::name)},
      {"data", path(&Settings::data)},
      {"backups", path(&Settings::backups)},
      {"services", texts(&Settings::services)},
      {"version",
       [](Settings& settings, const json::Value& value) -> Result<void> {
         FAIRWAY_TRY(const std::string version, text_of(value));
         FAIRWAY_TRY(settings.version, AppVersion::parse(version));
         return {};
       }},
      {"version-file", path(&Settings::version_file)},
      {"version-command", texts(&Settings::version_command)},
      {"assumed-version",
       [](Settings& settings, const json::Value& value) -> Result<void> {
         FAIRWAY_TRY(const std::string version, text_of(value));
         FAIRWAY_TRY(settings.assumed_version, AppVersion::parse(version));
         return {};
       }},
      {"max-skew",
       [](Settings& settings, const json::Value& value) -> Result<void> {
         FAIRWAY_TRY(settings.max_skew, number_of(value));
         return {};
       }},
      {"last-minor", set_last_minor},
      {"blocked-upgrades", path(&Settings::blocked_upgrades)},
      {"migrations", path(&Settings::migrations)},
      {"deployment-folder", path(&Settings::deployment_folder)},
      {"current-deployment", path(&Settings::current_deployment)},
      {"application", text(&Settings::application)},
      {"pre-run-unit", text(&Settings::pre_run_unit)},
      {"expected-entries", texts(&Settings::expected_entries)},
      {"legacy-rollback-restore", flag(&Settings::legacy_rollback_restore)},
      {"digest", flag(&Settings::digest)},
      {"lock-wait", set_lock_wait},
  };
  return table;
}

std::unexpected<Error> unknown_key(std::string_view key) {
  std::vector<std::string> known;
  for (const auto& [name, setter] : setters()) known.push_back(name);
  const auto near = nearest(key, known);
  return fail(ErrorCode::Invalid, fmt::format("there is no setting {}{}", quoted(key),
                                              near ? fmt::format("; did you mean {}?", *near) : ""));
}

Result<void> check(const Settings& settings) {
  if (settings.data == settings.backups || settings.backups.starts_with(settings.data + "/") ||
      settings.data.starts_with(settings.backups + "/"))
    return fail(ErrorCode::Invalid, fmt::format("data {} and backups {} must not contain one another",
                                                quoted(settings.data), quoted(settings.backups)));
  if (settings.deployment_folder.empty() != settings.current_deployment.empty())
    return fail(ErrorCode::Invalid, "deployment-folder and current-deployment must be given together");
  return {};
}

}  // namespace

Result<Settings> Settings::parse(std::string_view yaml) {
  FAIRWAY_TRY(const json::Value value,
              json::parse_yaml(yaml, {.max_bytes = 1024 * 1024, .numbers_as_text = true}));
  Settings settings;
  if (value.is_null()) return settings;
  if (!value.is_object()) return expected("keys and values", value);
  for (const auto& [key, given] : value.get_object()) {
    const std::string_view name(key.data(), key.size());
    const auto setter = setters().find(name);
    if (setter == setters().end()) return unknown_key(name);
    if (auto set = setter->second(settings, given); !set)
      return std::unexpected(std::move(set).error().within(std::string(name)));
  }
  FAIRWAY_CHECKED(check(settings));
  return settings;
}

std::string Settings::data_parent() const {
  const auto slash = data.rfind('/');
  return slash == 0 ? "/" : data.substr(0, slash);
}

std::string Settings::data_name() const {
  return data.substr(data.rfind('/') + 1);
}

}  // namespace fairway::device
