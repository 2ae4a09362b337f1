// The few decisions that every walk over typed values shares: is this value a map, a list or a leaf here, how
// do a list's items relate, and which path element leads to an item. Internal to the apply files.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "json/field_set.hpp"
#include "json/schema.hpp"

namespace fairway::json {

enum class Shape { Map, List, Scalar };

// How the schema has the value treated; where it allows several, the value decides.
Shape shape_of(const Schema& schema, const Value& value);
// The same without a value.
Shape shape_of(const Schema& schema);

struct ListRelation {
  Schema::ListType type = Schema::ListType::Atomic;
  std::span<const std::string> keys = {};
};
// Points into the schema.
ListRelation list_relation(const Schema& list);

// The element that leads to an item of a set or map; why there is none otherwise.
std::expected<PathElement, std::string> item_element(const Schema& list, const ListRelation& relation,
                                                     const Value& item);

// The items of a list in their order and by element; items without an element are left out.
struct ListIndex {
  struct Place {
    PathElement element;
    const Value* item;
  };
  std::vector<Place> order;
  std::map<PathElement, std::vector<const Value*>> by_element;
};
ListIndex index_list(const Schema& list, const ListRelation& relation, const Array* items);

const Object* as_object(const Value* value);  // null unless it is an object with fields
const Array* as_array(const Value* value);    // null unless it is a list with items

}  // namespace fairway::json
