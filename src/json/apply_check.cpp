#include <fmt/format.h>
#include <set>
#include <variant>

#include "base/text.hpp"
#include "json/apply_shape.hpp"
#include "json/apply_typed.hpp"
#include "json/schema_errors.hpp"

namespace fairway::json {
namespace {

// A field that nothing describes is refused where the schema lists the fields that there are.
bool allows_unknown_fields(const Schema& object) {
  switch (object.additional) {
    case Schema::Additional::Absent:
      return object.deduces_unknown_fields || object.properties.empty();
    case Schema::Additional::Forbidden:
      return false;
    case Schema::Additional::Allowed:
    case Schema::Additional::Described:
      return true;
  }
  return false;
}

bool has_free_format(const Schema& schema) {
  return schema.rules && !schema.rules->format.empty() && schema.rules->format != "byte";
}

// Where in the value we are, rendered only for a problem.
struct Trail {
  const Trail* parent = nullptr;
  std::variant<std::string_view, const PathElement*, std::size_t> step = {};  // a field, an item, an index
};

std::string render(const Trail* trail) {
  if (!trail || !trail->parent) return {};
  const std::string parent = render(trail->parent);
  if (const auto* field = std::get_if<std::string_view>(&trail->step))
    return fmt::format("{}.{}", parent, *field);
  if (const auto* item = std::get_if<const PathElement*>(&trail->step)) return parent + (*item)->text();
  return fmt::format("{}[{}]", parent, std::get<std::size_t>(trail->step));
}

class TypedCheck {
 public:
  explicit TypedCheck(Duplicates duplicates) : duplicates_(duplicates) {}

  std::vector<std::string> problems;

  void visit(const Schema& schema, const Value& value, const Trail& trail, std::size_t depth) {
    if (depth > kMaxSchemaDepth) return add(trail, "nested too deep");
    if (value.is_null()) return;
    switch (shape_of(schema, value)) {
      case Shape::Map:
        return visit_map(schema, value, trail, depth);
      case Shape::List:
        return visit_list(schema, value, trail, depth);
      case Shape::Scalar:
        return visit_scalar(schema, value, trail);
    }
  }

 private:
  void add(const Trail& trail, std::string problem) {
    const std::string path = render(&trail);
    problems.push_back(path.empty() ? std::move(problem) : path + ": " + problem);
  }

  void visit_scalar(const Schema& schema, const Value& value, const Trail& trail) {
    switch (schema.type) {
      case Schema::Type::Integer:
      case Schema::Type::Number:
        if (!value.is_number())
          add(trail, fmt::format("expected numeric (int or float), got {}", go_type(value)));
        break;
      case Schema::Type::String:
        if (!value.is_string() && !has_free_format(schema)) {
          add(trail,
              fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)));
        }
        break;
      case Schema::Type::Boolean:
        if (!value.is_bool()) add(trail, fmt::format("expected boolean, got &{{{}}}", go_plain(value)));
        break;
      default:
        break;
    }
  }

  void visit_map(const Schema& schema, const Value& value, const Trail& trail, std::size_t depth) {
    const Object* object = value.if_object();
    if (!object) return add(trail, fmt::format("expected map, got &{{{}}}", go_plain(value)));
    const bool allows_unknown = allows_unknown_fields(schema);
    for (const auto& [name, field] : *object) {
      const Trail inside{&trail, std::string_view(name)};
      if (!allows_unknown && !is_struct_field(schema, name)) {
        add(inside, "field not declared in schema");
      } else if (!field.is_null()) {
        visit(map_value_schema(schema, name), field, inside, depth + 1);
      }
    }
  }

  void visit_list(const Schema& schema, const Value& value, const Trail& trail, std::size_t depth) {
    const Array* list = value.if_array();
    if (!list) return add(trail, fmt::format("expected list, got &{{{}}}", go_plain(value)));
    const ListRelation relation = list_relation(schema);
    std::set<PathElement> seen;
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (relation.type == Schema::ListType::Atomic) {
        visit(list_item_schema(schema), (*list)[i], Trail{&trail, i}, depth + 1);
        continue;
      }
      const auto element = item_element(schema, relation, (*list)[i]);
      if (!element) return add(trail, fmt::format("element {}: {}", i, element.error()));
      if (duplicates_ == Duplicates::Refused && !seen.insert(*element).second) {
        add(trail, fmt::format("duplicate entries for key {}", element->text()));
      }
      visit(list_item_schema(schema), (*list)[i], Trail{&trail, &*element}, depth + 1);
    }
  }

  Duplicates duplicates_;
};

}  // namespace

Result<void> check_typed(const Schema& schema, const Value& value, Duplicates duplicates) {
  TypedCheck check(duplicates);
  check.visit(schema, value, Trail{}, 0);
  if (check.problems.empty()) return {};
  if (check.problems.size() == 1) return fail(ErrorCode::Invalid, check.problems.front());
  std::string text = "errors:";
  for (const std::string& problem : check.problems) text += "\n  " + problem;
  return fail(ErrorCode::Invalid, std::move(text));
}

}  // namespace fairway::json
