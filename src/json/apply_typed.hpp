// Values as structured merge sees them: which part of an object can have an owner of its own.
//
// The schema says it: objects are shared field by field unless they are atomic; lists are one leaf unless
// they are sets or maps; what no schema describes is shared by its own shape, lists as a whole. The functions
// are pure and follow structured-merge-diff v4; values are checked with check_typed() first, the others then
// cannot fail. Lists are indexed by key, so that a list of ten thousand items costs a sort, not a square.
#pragma once

#include <string>
#include <string_view>

#include "json/field_set.hpp"
#include "json/schema.hpp"

namespace fairway::json {

// Whether the field is one that the schema names (and not an entry of a map).
bool is_struct_field(const Schema& object, std::string_view name);
// What describes a field's value; any_schema() when nothing does.
const Schema& map_value_schema(const Schema& object, std::string_view name);
const Schema& list_item_schema(const Schema& list);

enum class Duplicates { Refused, Allowed };  // stored objects may repeat a key; what is applied may not

// Whether the value has the shape that the schema demands; the message names each path that has not.
Result<void> check_typed(const Schema& schema, const Value& value, Duplicates duplicates);

// Every field and item that the value mentions.
FieldSet to_field_set(const Schema& schema, const Value& value);

struct Comparison {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool is_same() const { return added.empty() && modified.empty() && removed.empty(); }
};
Comparison compare(const Schema& schema, const Value& before, const Value& after);

// `live` with everything that `patch` says; nothing is removed. Items of sets and maps follow the patch's
// order, live ones keep their place among them.
Value merge_typed(const Schema& schema, const Value& live, const Value& patch);

// The value without the fields and items of the set; null when nothing is left of it.
Value remove_items(const Schema& schema, const Value& value, const FieldSet& items);

// The set under a schema whose maps or lists have become atomic since: their parts give way to the whole.
FieldSet reconcile(const Schema& schema, const FieldSet& set);

}  // namespace fairway::json
