#include "json/schema_embedded.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.hpp"
#include "json/growing_path.hpp"

namespace fairway::json {
namespace {

constexpr std::string_view kLabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
    "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

std::string kind_problem(std::string_view kind) {
  static const re2::RE2 kLabel("^[a-z]([-a-z0-9]*[a-z0-9])?$", re2::RE2::Quiet);
  const std::string lower = to_lower(kind);
  std::string problems;
  if (lower.size() > 63) problems = "must be no more than 63 characters";
  if (!re2::RE2::PartialMatch(lower, kLabel))
    problems += fmt::format("{}{}", problems.empty() ? "" : ",", kLabelRule);
  if (problems.empty()) return problems;
  return "may have mixed case, but should otherwise match: " + problems;
}

std::string version_problem(std::string_view version) {
  if (std::ranges::count(version, '/') <= 1) return {};
  return fmt::format("unexpected GroupVersion string: {}", version);
}

void check_name(const Object& object, std::string_view key, const std::string& path, auto&& problem_of,
                FieldErrors& errors) {
  const std::string where = child_path(path, key);
  const Value* value = object.if_contains(key);
  if (!value) {
    errors.push_back(FieldError::required(where, "must not be empty"));
  } else if (!value->is_string()) {
    errors.push_back(FieldError::invalid(where, *value, "must be a string"));
  } else if (value->get_string().empty()) {
    errors.push_back(FieldError::invalid(where, *value, "must not be empty"));
  } else if (std::string problem = problem_of(view(value->get_string())); !problem.empty()) {
    errors.push_back(FieldError::invalid(where, *value, std::move(problem)));
  }
}

void visit(const Schema& schema, const Value& value, GrowingPath& path, std::size_t depth,
           FieldErrors& errors) {
  if (depth > kMaxSchemaDepth) return;
  if (const Array* list = value.if_array()) {
    for (std::size_t i = 0; schema.items && i < list->size(); ++i) {
      if (!(*list)[i].is_structured()) continue;
      const auto inside = path.index(i);
      visit(*schema.items, (*list)[i], path, depth + 1, errors);
    }
    return;
  }
  const Object* object = value.if_object();
  if (!object) return;
  if (schema.embedded_resource) {
    check_name(*object, "apiVersion", path.text(), version_problem, errors);
    check_name(*object, "kind", path.text(), kind_problem, errors);
  }
  for (const auto& [name, field] : *object) {
    if (!field.is_structured()) continue;
    if (const Schema* known = schema.property(name)) {
      const auto inside = path.child(name);
      visit(*known, field, path, depth + 1, errors);
    } else if (schema.additional_properties) {
      const auto inside = path.key(name);
      visit(*schema.additional_properties, field, path, depth + 1, errors);
    }
  }
}

}  // namespace

void check_embedded_resources(const Schema& schema, const Value& value, std::string_view path,
                              FieldErrors& errors) {
  GrowingPath growing(path);
  visit(schema, value, growing, 0, errors);
}

}  // namespace fairway::json
