#include "json/apply_shape.hpp"

#include <fmt/format.h>

#include "json/apply_typed.hpp"
#include "json/schema_errors.hpp"

namespace fairway::json {
namespace {

bool allows(const Schema& schema, Shape shape) {
  if (schema.opaque) return shape == Shape::Scalar;
  switch (schema.type) {
    case Schema::Type::Any:
      return true;
    case Schema::Type::Object:
      return shape == Shape::Map;
    case Schema::Type::Array:
      return shape == Shape::List;
    default:
      return shape == Shape::Scalar;
  }
}

}  // namespace

Shape shape_of(const Schema& schema) {
  if (allows(schema, Shape::Map)) return Shape::Map;
  return allows(schema, Shape::Scalar) ? Shape::Scalar : Shape::List;
}

Shape shape_of(const Schema& schema, const Value& value) {
  const Shape own = value.is_object() ? Shape::Map : value.is_array() ? Shape::List : Shape::Scalar;
  return !value.is_null() && allows(schema, own) ? own : shape_of(schema);
}

ListRelation list_relation(const Schema& list) {
  if (list.list_type) return {*list.list_type, list.list_map_keys};
  if (!list.patch_merge) return {};
  if (list.patch_merge_key.empty()) return {Schema::ListType::Set};
  return {Schema::ListType::Map, {&list.patch_merge_key, 1}};
}

std::expected<PathElement, std::string> item_element(const Schema& list, const ListRelation& relation,
                                                     const Value& item) {
  if (relation.keys.empty()) {
    if (item.is_object())
      return std::unexpected("associative list without keys has an element that's a map type");
    if (item.is_array()) return std::unexpected("not supported: associative list with lists as elements");
    if (item.is_null()) {
      return std::unexpected("associative list without keys has an element that's an explicit null");
    }
    return PathElement::value(item);
  }
  if (item.is_null()) return std::unexpected("associative list with keys may not have a null element");
  const Object* object = item.if_object();
  if (!object) return std::unexpected("associative list with keys may not have non-map elements");
  PathElement::KeyFields fields;
  fields.reserve(relation.keys.size());
  for (const std::string& key : relation.keys) {
    const Value* value = object->if_contains(key);
    const Schema* described = value ? nullptr : field_schema(list_item_schema(list), key);
    if (described && described->default_value) value = &*described->default_value;
    if (!value) {
      return std::unexpected(
          fmt::format("associative list with keys has an element that omits key field {} "
                      "(and doesn't have default value)",
                      go_quoted(key)));
    }
    fields.emplace_back(key, *value);
  }
  return PathElement::key(std::move(fields));
}

ListIndex index_list(const Schema& list, const ListRelation& relation, const Array* items) {
  ListIndex out;
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    auto element = item_element(list, relation, (*items)[i]);
    if (!element) continue;
    out.by_element[*element].push_back(&(*items)[i]);
    out.order.push_back({*std::move(element), &(*items)[i]});
  }
  return out;
}

const Object* as_object(const Value* value) {
  const Object* object = value ? value->if_object() : nullptr;
  return object && !object->empty() ? object : nullptr;
}

const Array* as_array(const Value* value) {
  const Array* array = value ? value->if_array() : nullptr;
  return array && !array->empty() ? array : nullptr;
}

bool is_struct_field(const Schema& object, std::string_view name) {
  if (object.is_resource() && (name == "metadata" || name == "apiVersion" || name == "kind")) return true;
  return object.property(name) != nullptr;
}

const Schema& map_value_schema(const Schema& object, std::string_view name) {
  const Schema* known = field_schema(object, name);
  return known ? *known : any_schema();
}

const Schema& list_item_schema(const Schema& list) {
  return list.items ? *list.items : any_schema();
}

}  // namespace fairway::json
