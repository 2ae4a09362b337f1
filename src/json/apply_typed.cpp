#include "json/apply_typed.hpp"

#include <algorithm>
#include <set>

#include "json/apply_shape.hpp"

namespace fairway::json {
namespace {

using Entries = FieldSet::Entries;

PathElement element_of(std::string_view name) {
  return PathElement::field(std::string(name));
}

// What a value owns: itself, what is below it, or both.
struct Owned {
  bool itself = false;
  FieldSet below = {};
};

Owned owned_by(const Schema& schema, const Value& value, std::size_t depth);

FieldSet owned_items(const Schema& schema, const Array& list, std::size_t depth) {
  const ListIndex index = index_list(schema, list_relation(schema), &list);
  Entries entries;
  for (const auto& [element, items] : index.by_element) {
    // A repeated item is owned as a whole: nobody can say which of them a path would mean.
    FieldSet below =
        items.size() == 1 ? owned_by(list_item_schema(schema), *items.front(), depth + 1).below : FieldSet();
    entries.push_back({element, true, std::move(below)});
  }
  return FieldSet::from_entries(std::move(entries));
}

FieldSet owned_fields(const Schema& schema, const Object& object, std::size_t depth) {
  Entries entries;
  for (const auto& [name, value] : object) {
    Owned inner = owned_by(map_value_schema(schema, name), value, depth + 1);
    const bool is_empty = value.is_null() || (value.is_object() && value.get_object().empty());
    const bool is_member = inner.itself || is_empty || !is_struct_field(schema, name);
    entries.push_back({element_of(name), is_member, std::move(inner.below)});
  }
  return FieldSet::from_entries(std::move(entries));
}

Owned owned_by(const Schema& schema, const Value& value, std::size_t depth) {
  if (depth > kMaxSchemaDepth) return {true};
  switch (shape_of(schema, value)) {
    case Shape::Scalar:
      return {true};
    case Shape::List:
      if (list_relation(schema).type == Schema::ListType::Atomic) return {true};
      return {false, value.is_array() ? owned_items(schema, value.get_array(), depth) : FieldSet()};
    case Shape::Map:
      if (schema.atomic_map) return {true};
      return {false, value.is_object() ? owned_fields(schema, value.get_object(), depth) : FieldSet()};
  }
  return {};
}

Value without(const Schema& schema, const Value& value, const FieldSet& items);

Value without_fields(const Schema& schema, const Object& object, const FieldSet& items) {
  Object out(object.storage());
  for (const auto& [name, field] : object) {
    const PathElement element = element_of(name);
    if (items.has_member(element)) continue;
    const FieldSet& below = items.children(element);
    out.emplace(name, below.empty() ? field : without(map_value_schema(schema, name), field, below));
  }
  return out.empty() ? Value() : Value(std::move(out));
}

Value without_items(const Schema& schema, const Array& list, const FieldSet& items) {
  const ListRelation relation = list_relation(schema);
  Array out(list.storage());
  for (const Value& item : list) {
    const auto element = item_element(schema, relation, item);
    if (element && items.has_member(*element)) continue;
    const bool changes = element && !items.children(*element).empty();
    out.push_back(changes ? without(list_item_schema(schema), item, items.children(*element)) : item);
  }
  return out.empty() ? Value() : Value(std::move(out));
}

Value without(const Schema& schema, const Value& value, const FieldSet& items) {
  switch (shape_of(schema, value)) {
    case Shape::Scalar:
      return value;
    case Shape::List: {
      const bool is_shared = list_relation(schema).type != Schema::ListType::Atomic;
      return is_shared && value.is_array() ? without_items(schema, value.get_array(), items) : Value();
    }
    case Shape::Map: {
      const bool is_shared = !schema.atomic_map && value.is_object();
      return is_shared ? without_fields(schema, value.get_object(), items) : Value();
    }
  }
  return value;
}

// Whether a change of the schema makes the entry one leaf that was several.
bool collapses(const Schema& schema, const FieldSet::Entry& entry) {
  if (entry.below.empty()) return false;
  switch (shape_of(schema)) {
    case Shape::Map:
      return schema.atomic_map;
    case Shape::List:
      return list_relation(schema).type == Schema::ListType::Atomic;
    case Shape::Scalar:
      return false;
  }
  return false;
}

const Schema* described(const Schema& schema, const PathElement& element) {
  if (shape_of(schema) == Shape::List) return element.field_name() ? nullptr : &list_item_schema(schema);
  return element.field_name() ? field_schema(schema, *element.field_name()) : nullptr;
}

bool is_reconciled(const Schema& schema, const FieldSet& set) {
  return std::ranges::all_of(set.entries(), [&](const FieldSet::Entry& entry) {
    const Schema* inner = described(schema, entry.element);
    return !inner || (!collapses(*inner, entry) && is_reconciled(*inner, entry.below));
  });
}

}  // namespace

FieldSet to_field_set(const Schema& schema, const Value& value) {
  return owned_by(schema, value, 0).below;
}

Value remove_items(const Schema& schema, const Value& value, const FieldSet& items) {
  return without(schema, value, items);
}

FieldSet reconcile(const Schema& schema, const FieldSet& set) {
  // The usual case: no schema has changed, and the set is shared as it is.
  if (is_reconciled(schema, set)) return set;
  Entries entries;
  for (const FieldSet::Entry& entry : set.entries()) {
    const Schema* inner = described(schema, entry.element);
    if (!inner) {
      entries.push_back(entry);
    } else if (collapses(*inner, entry)) {
      entries.push_back({entry.element, true});
    } else {
      entries.push_back({entry.element, entry.is_member, reconcile(*inner, entry.below)});
    }
  }
  return FieldSet::from_entries(std::move(entries));
}

}  // namespace fairway::json
