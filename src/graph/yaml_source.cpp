#include "graph/yaml_source.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/yaml.hpp"

namespace fairway::graph {
namespace {

constexpr json::YamlOptions kLimits{
    .max_bytes = 1 << 20, .max_depth = 32, .max_documents = 1, .max_nodes = 200'000, .numbers_as_text = true};

// "… at line 3, column 5" names the line in words only.
std::size_t line_in(std::string_view message) {
  constexpr std::string_view kWord = "line ";
  const auto at = message.find(kWord);
  if (at == std::string_view::npos) return 0;
  std::string_view digits = message.substr(at + kWord.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return parse_unsigned(digits).value_or(0);
}

}  // namespace

bool YamlSource::parse() {
  auto value = json::parse_yaml(file_.text, kLimits);
  if (!value) {
    const std::string message = value.error().message;
    return refuse_at("yaml", line_in(message), message,
                     "correct the file; until then nothing of this tree is used");
  }
  if (!value->is_object()) {
    return refuse_at("yaml", 0, fmt::format("expected a YAML mapping, found {}", json::a_kind(*value)),
                     "correct the file, or remove it");
  }
  object_ = std::move(value->get_object());
  return true;
}

std::optional<std::string> YamlSource::text(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(json::view(value->get_string()));
}

std::optional<std::string> YamlSource::optional_text(std::string_view key) {
  const json::Value* value = find(key);
  if (value != nullptr && !value->is_null() && !value->is_string()) {
    error(key, {key}, fmt::format("expected {} to be text, found {}", quoted(key), json::a_kind(*value)),
          "put it in quotes");
  }
  return text(key);
}

void YamlSource::check_keys(std::span<const std::string> known) {
  for (const auto& item : object_) {
    const std::string_view name(item.key().data(), item.key().size());
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto near = nearest(name, known);
    warn("unknown-key", {name}, fmt::format("{} is not a key of this file, and is ignored", quoted(name)),
         near ? fmt::format("did you mean {}?", quoted(*near)) : "remove it");
  }
}

bool YamlSource::refuse(std::string_view key, std::string message, std::string fix) {
  return refuse(key, key, std::move(message), std::move(fix));
}

bool YamlSource::refuse(std::string_view id, std::string_view key, std::string message, std::string fix) {
  return refuse_at(id, line_of_key(file_.text, {key}), std::move(message), std::move(fix));
}

bool YamlSource::refuse_at(std::string_view id, std::size_t line, std::string message, std::string fix) {
  report(Severity::Error, id, line, std::move(message), std::move(fix)).refuses = true;
  return false;
}

void YamlSource::error(std::string_view id, Place place, std::string message, std::string fix) {
  report(Severity::Error, id, line_of_key(file_.text, place), std::move(message), std::move(fix));
}

void YamlSource::warn(std::string_view id, Place place, std::string message, std::string fix) {
  report(Severity::Warning, id, line_of_key(file_.text, place), std::move(message), std::move(fix));
}

void YamlSource::error_at(std::string_view id, std::size_t line, std::string message, std::string fix) {
  report(Severity::Error, id, line, std::move(message), std::move(fix));
}

Finding& YamlSource::report(Severity severity, std::string_view id, std::size_t line, std::string message,
                            std::string fix) {
  findings_.push_back({.id = fmt::format("{}-{}", kind_, id),
                       .severity = severity,
                       .file = file_.path,
                       .line = line,
                       .message = std::move(message),
                       .fix = std::move(fix)});
  return findings_.back();
}

}  // namespace fairway::graph
