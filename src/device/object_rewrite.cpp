#include "device/object_rewrite.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"
#include "json/yaml.hpp"

namespace fairway::device {
namespace {

Result<std::string> text_field(const json::Object& object, std::string_view key) {
  const auto text = json::get_string(object, {key});
  if (!text || text->empty()) return fail(ErrorCode::Invalid, fmt::format("{}: expected a text", key));
  return std::string(*text);
}

// Whether anything changed.
bool rewrite_object(json::Object& object, const RewriteStep& step, RewriteReport& report) {
  bool has_changed = false;
  if (json::Value* items = json::find(object, {"items"}); items != nullptr && items->is_array()) {
    for (json::Value& item : items->get_array())
      if (item.is_object() && rewrite_object(item.get_object(), step, report)) has_changed = true;
  }
  const auto version = json::get_string(object, {"apiVersion"});
  const auto kind = json::get_string(object, {"kind"});
  if (!version || !kind) return has_changed;
  RewriteCount& count = report[std::string(*kind)];
  ++count.seen;
  for (const Conversion& conversion : step.conversions) {
    if (conversion.from != *version || (!conversion.kind.empty() && conversion.kind != *kind)) continue;
    object["apiVersion"] = conversion.to;
    ++count.changed;
    return true;
  }
  return has_changed;
}

Result<std::optional<std::string>> rewrite_json(std::string_view text, const RewriteStep& step,
                                                RewriteReport& report) {
  FAIRWAY_TRY(json::Value value, json::parse(text));
  if (!value.is_object() || !rewrite_object(value.get_object(), step, report))
    return std::optional<std::string>();
  return std::optional(json::serialize_pretty(value) + "\n");
}

Result<std::optional<std::string>> rewrite_yaml(std::string_view text, const RewriteStep& step,
                                                RewriteReport& report) {
  FAIRWAY_TRY(std::vector<json::Value> documents, json::parse_yaml_documents(text));
  bool has_changed = false;
  std::string written;
  for (json::Value& document : documents) {
    if (document.is_object() && rewrite_object(document.get_object(), step, report)) has_changed = true;
    if (!written.empty()) written += "---\n";
    written += json::to_yaml(document);
  }
  return has_changed ? std::optional(std::move(written)) : std::nullopt;
}

}  // namespace

Result<RewriteStep> RewriteStep::parse(const json::Object& object) {
  RewriteStep step;
  FAIRWAY_TRY(step.folder, text_field(object, "rewrite"));
  for (const std::string_view part : split(step.folder, '/')) {
    if (part.empty() || part == "." || part == "..")
      return fail(ErrorCode::Invalid,
                  fmt::format("rewrite: expected a folder in the data, found {}", quoted(step.folder)));
  }
  const json::Array* list = json::get_array(object, {"conversions"});
  if (list == nullptr) return fail(ErrorCode::Invalid, "conversions: expected a list");
  for (const json::Value& item : *list) {
    if (!item.is_object()) return fail(ErrorCode::Invalid, "conversions: expected objects with from and to");
    Conversion conversion;
    FAIRWAY_TRY(conversion.from, text_field(item.get_object(), "from"));
    FAIRWAY_TRY(conversion.to, text_field(item.get_object(), "to"));
    conversion.kind = std::string(json::get_string(item.get_object(), {"kind"}).value_or(""));
    step.conversions.push_back(std::move(conversion));
  }
  return step;
}

bool is_object_file(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".yaml") || name.ends_with(".yml");
}

Result<std::optional<std::string>> rewrite_objects(std::string_view name, std::string_view text,
                                                   const RewriteStep& step, RewriteReport& report) {
  return name.ends_with(".json") ? rewrite_json(text, step, report) : rewrite_yaml(text, step, report);
}

std::string to_text(const RewriteReport& report) {
  std::string text;
  for (const auto& [kind, count] : report)
    text += fmt::format("{}{}: {} of {} changed{}", text.empty() ? "" : ", ", kind, count.changed, count.seen,
                        count.failed == 0 ? "" : fmt::format(", {} failed", count.failed));
  return text.empty() ? "no objects" : text;
}

}  // namespace fairway::device
