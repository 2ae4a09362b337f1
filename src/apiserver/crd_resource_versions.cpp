#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "apiserver/crd_resource_rules.hpp"
#include "apiserver/view_fields.hpp"
#include "base/text.hpp"
#include "json/schema_rules.hpp"
#include "kube/core/names.hpp"

namespace fairway::apiserver {
namespace {

using fields::flag_at;
using fields::text_at;
using json::Array;
using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

constexpr std::size_t kMaxSelectableFields = 8;
constexpr std::size_t kMaxWarningBytes = 256;

void add(FieldErrors& errors, FieldErrors more) {
  std::ranges::move(more, std::back_inserter(errors));
}

const Value* set_value(const Object& object, std::string_view key) {
  const Value* found = object.if_contains(key);
  return found && !found->is_null() ? found : nullptr;
}

const Value* schema_of(const Object& version) {
  const Value* found = json::find(version, {"schema", "openAPIV3Schema"});
  return found && !found->is_null() ? found : nullptr;
}

bool has_status(const Object& version) {
  const Value* status = json::find(version, {"subresources", "status"});
  return status && !status->is_null();
}

// As Go's unicode.IsPrint, for the characters that look like nothing: controls, formats, blanks other than '
// '.
bool is_printable(char32_t code) {
  constexpr std::pair<char32_t, char32_t> kInvisible[] = {
      {0x0, 0x1f},      {0x7f, 0xa0},     {0xad, 0xad},       {0x600, 0x605},   {0x61c, 0x61c},
      {0x6dd, 0x6dd},   {0x70f, 0x70f},   {0x1680, 0x1680},   {0x180e, 0x180e}, {0x2000, 0x200f},
      {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff},
      {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
  return std::ranges::none_of(kInvisible,
                              [&](auto range) { return code >= range.first && code <= range.second; });
}

// The index of the first character that cannot be shown; text from JSON is UTF-8.
std::optional<std::size_t> unprintable_at(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(i)), 1);
    char32_t code = static_cast<unsigned char>(text[i]);
    if (length > 1) code &= 0xffU >> (length + 1);
    for (std::size_t k = 1; k < length; ++k)
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    if (!is_printable(code)) return i;
    i += length;
  }
  return std::nullopt;
}

void check_warning(const Object& version, const std::string& path, FieldErrors& errors) {
  const auto warning = json::get_string(version, {"deprecationWarning"});
  if (!warning) return;
  const auto refuse = [&](std::string detail) {
    errors.push_back(FieldError::invalid(json::child_path(path, "deprecationWarning"), Value(*warning),
                                         std::move(detail)));
  };
  if (!flag_at(version, {"deprecated"})) return refuse("can only be set for deprecated versions");
  if (warning->size() > kMaxWarningBytes) refuse("must be <= 256 characters long");
  if (warning->empty()) refuse("must not be an empty string");
  if (const auto at = unprintable_at(*warning)) {
    refuse(fmt::format(
        "must only contain printable UTF-8 characters; non-printable character found at index {}", *at));
  }
}

// What each version says under one key, or once what all of them say.
struct Part {
  const Value* value;
  std::string path;
  bool status_enabled;
  const Object* version;
};

class VersionCheck {
 public:
  explicit VersionCheck(const Object& spec) {
    const Array* list = json::get_array(spec, {"versions"});
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      if (const Object* version = (*list)[i].if_object()) versions_.push_back(version);
    }
  }

  FieldErrors run() {
    require_schemas();
    names();
    for (const Aspect& aspect : kAspects) {
      if (!is_common(aspect.key)) check_each(aspect);
    }
    counts();
    for (const Aspect& aspect : kAspects) {
      if (is_common(aspect.key)) check_once(aspect);
    }
    return std::move(errors_);
  }

 private:
  struct Aspect {
    std::string_view key;     // of a version
    std::string_view common;  // the path of what all versions have in common
    void (VersionCheck::*check)(const Part&);
  };
  static const std::array<Aspect, 4> kAspects;

  bool is_common(std::string_view key) const {
    return !versions_.empty() && std::ranges::all_of(versions_, [&](const Object* version) {
      const Value* first = set_value(*versions_.front(), key);
      const Value* other = set_value(*version, key);
      return (first == nullptr) == (other == nullptr) && (!first || json::same_value(*first, *other));
    });
  }

  void check_each(const Aspect& aspect) {
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const Value* value = set_value(*versions_[i], aspect.key);
      const std::string path = json::child_path(json::index_path("spec.versions", i), aspect.key);
      if (value) (this->*aspect.check)({value, path, has_status(*versions_[i]), versions_[i]});
    }
  }

  void check_once(const Aspect& aspect) {
    const Object* version = versions_.front();
    const Value* value = set_value(*version, aspect.key);
    const bool any_status =
        std::ranges::any_of(versions_, [](const Object* each) { return has_status(*each); });
    if (value) (this->*aspect.check)({value, std::string(aspect.common), any_status, version});
  }

  void require_schemas() {
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      if (schema_of(*versions_[i])) continue;
      errors_.push_back(FieldError::required(
          json::child_path(json::index_path("spec.versions", i), "schema.openAPIV3Schema"),
          "schemas are required"));
    }
  }

  void names() {
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const std::string path = json::index_path("spec.versions", i);
      const std::string_view name = text_at(*versions_[i], {"name"});
      if (const auto problems = kube::validate_dns1035_label(name); !problems.empty()) {
        errors_.push_back(FieldError::invalid(json::child_path(path, "name"), Value(name),
                                              fmt::format("{}", fmt::join(problems, ","))));
      }
      check_warning(*versions_[i], path, errors_);
    }
  }

  void counts() {
    std::set<std::string_view> names;
    Array found;  // the names stand for the versions, which would fill pages
    std::size_t stored = 0;
    for (const Object* version : versions_) {
      names.insert(text_at(*version, {"name"}));
      found.emplace_back(text_at(*version, {"name"}));
      stored += flag_at(*version, {"storage"}) ? 1 : 0;
    }
    if (names.size() != versions_.size()) {
      errors_.push_back(FieldError::invalid("spec.versions", found, "must contain unique version names"));
    }
    if (stored != 1) {
      errors_.push_back(FieldError::invalid("spec.versions", found,
                                            "must have exactly one version marked as storage version"));
    }
  }

  void schema(const Part& part) {
    const Object* holder = part.value->if_object();
    const Value* schema = holder ? set_value(*holder, "openAPIV3Schema") : nullptr;
    if (!schema) return;
    add(errors_, json::check_custom_resource_schema(*schema, json::child_path(part.path, "openAPIV3Schema"),
                                                    {.status_subresource = part.status_enabled}));
  }

  void subresources(const Part& part) {
    if (const Object* value = part.value->if_object())
      add(errors_, check_crd_subresources(*value, part.path));
  }

  void columns(const Part& part) {
    if (const Array* value = part.value->if_array()) add(errors_, check_crd_columns(*value, part.path));
  }

  void selectable(const Part& part) {
    if (const Array* value = part.value->if_array()) {
      add(errors_, check_crd_selectable_fields(*value, schema_of(*part.version), part.path));
    }
  }

  std::vector<const Object*> versions_;
  FieldErrors errors_;
};

const std::array<VersionCheck::Aspect, 4> VersionCheck::kAspects{{
    {"schema", "spec.validation", &VersionCheck::schema},
    {"subresources", "spec.subresources", &VersionCheck::subresources},
    {"additionalPrinterColumns", "spec.additionalPrinterColumns", &VersionCheck::columns},
    {"selectableFields", "spec.selectableFields", &VersionCheck::selectable},
}};

// A path may begin with a dot and otherwise be anything; what cannot be evaluated shows nothing.
bool is_simple_path(std::string_view value, const std::string& path, FieldErrors& errors) {
  if (value.starts_with('.')) return true;
  errors.push_back(FieldError::invalid(path, Value(value), "must be a simple json path starting with ."));
  return false;
}

struct FoundField {
  const Object* schema = nullptr;
  std::string problem;
};

// The field that a path such as .spec.color names in a schema.
FoundField find_field(std::string_view path, const Object& root) {
  const Object* schema = &root;
  while (!path.empty()) {
    if (path.front() == '[') return {nullptr, "array notation is not allowed"};
    const auto end = std::min(path.find_first_of(".[]", 1), path.size());
    if (path.front() != '.')
      return {nullptr, fmt::format("expected [ or . but got: {}", path.substr(0, end))};
    const std::string_view name = path.substr(1, end - 1);
    if (name.empty() && end == path.size()) return {nullptr, "unexpected end of JSON path"};
    path.remove_prefix(end);
    const Object* properties = json::get_object(*schema, {"properties"});
    const Value* next =
        properties ? properties->if_contains(name) : schema->if_contains("additionalProperties");
    if (!next || !next->is_object()) return {nullptr, "does not refer to a valid field"};
    schema = &next->get_object();
  }
  return {schema, ""};
}

}  // namespace

json::FieldErrors check_crd_versions(const json::Object& spec) {
  return VersionCheck(spec).run();
}

json::FieldErrors check_crd_subresources(const json::Object& subresources, const std::string& path) {
  FieldErrors errors;
  const Object* scale = json::get_object(subresources, {"scale"});
  if (!scale) return errors;
  const auto check = [&](std::string_view key, std::string_view prefix, std::string_view detail) {
    const std::string_view value = text_at(*scale, {key});
    const std::string where = fmt::format("{}.scale.{}", path, key);
    if (value.empty()) return errors.push_back(FieldError::required(where));
    if (is_simple_path(value, where, errors) && !value.starts_with(prefix)) {
      errors.push_back(FieldError::invalid(where, Value(value), std::string(detail)));
    }
  };
  check("specReplicasPath", ".spec.", "should be a json path under .spec");
  check("statusReplicasPath", ".status.", "should be a json path under .status");
  const std::string_view selector = text_at(*scale, {"labelSelectorPath"});
  const std::string where = path + ".scale.labelSelectorPath";
  if (!selector.empty() && is_simple_path(selector, where, errors) && !selector.starts_with(".spec.") &&
      !selector.starts_with(".status.")) {
    errors.push_back(
        FieldError::invalid(where, Value(selector), "should be a json path under either .spec or .status"));
  }
  return errors;
}

json::FieldErrors check_crd_columns(const json::Array& columns, const std::string& path) {
  static const std::vector<std::string> kTypes{"boolean", "date", "integer", "number", "string"};
  static const std::vector<std::string> kFormats{"byte",  "date",  "date-time", "double",
                                                 "float", "int32", "int64",     "password"};
  FieldErrors errors;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Object* column = columns[i].if_object();
    if (!column) continue;
    const std::string at = json::index_path(path, i);
    const std::string_view type = text_at(*column, {"type"}), format = text_at(*column, {"format"});
    const std::string_view json_path = text_at(*column, {"jsonPath"});
    if (text_at(*column, {"name"}).empty())
      errors.push_back(FieldError::required(json::child_path(at, "name")));
    const std::string types = fmt::format("must be one of {}", fmt::join(kTypes, ","));
    if (type.empty()) {
      errors.push_back(FieldError::required(json::child_path(at, "type"), types));
    } else if (!std::ranges::binary_search(kTypes, type)) {
      errors.push_back(FieldError::invalid(json::child_path(at, "type"), Value(type), types));
    }
    if (!format.empty() && !std::ranges::binary_search(kFormats, format)) {
      errors.push_back(FieldError::invalid(json::child_path(at, "format"), Value(format),
                                           fmt::format("must be one of {}", fmt::join(kFormats, ","))));
    }
    if (json_path.empty()) {
      errors.push_back(FieldError::required(json::child_path(at, "JSONPath")));
    } else {
      is_simple_path(json_path, json::child_path(at, "JSONPath"), errors);
    }
  }
  return errors;
}

json::FieldErrors check_crd_selectable_fields(const json::Array& fields, const json::Value* schema,
                                              const std::string& path) {
  FieldErrors errors;
  if (fields.empty() || !schema || !schema->is_object()) return errors;  // a missing schema is told elsewhere
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Object* field = fields[i].if_object();
    const std::string at = json::child_path(json::index_path(path, i), "jsonPath");
    const std::string_view value = field ? text_at(*field, {"jsonPath"}) : std::string_view();
    if (value.empty()) {
      errors.push_back(FieldError::required(at));
      continue;
    }
    const auto refuse = [&](std::string detail) {
      errors.push_back(FieldError::invalid(at, Value(value), std::move(detail)));
    };
    const FoundField found = find_field(value, schema->get_object());
    if (!found.schema) {
      refuse(fmt::format("is an invalid path: {}", found.problem));
      continue;
    }
    if (value == ".metadata" || value.starts_with(".metadata."))
      refuse("must not point to fields in metadata");
    const std::string_view type = text_at(*found.schema, {"type"});
    if (type != "string" && type != "boolean" && type != "integer") {
      refuse(
          "must point to a field of type string, boolean or integer. Enum string fields and strings with "
          "formats "
          "are allowed.");
    }
    if (!seen.insert(value).second) errors.push_back(FieldError::duplicate(at, Value(value)));
  }
  if (seen.size() > kMaxSelectableFields) {
    errors.push_back(
        FieldError::too_many(path, static_cast<std::int64_t>(seen.size()), kMaxSelectableFields));
  }
  return errors;
}

}  // namespace fairway::apiserver
