#include "json/schema_lists.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "json/growing_path.hpp"
#include "json/write.hpp"

namespace fairway::json {
namespace {

void append_canonical(const Value& value, std::string& out) {
  if (const Object* object = value.if_object()) {
    std::vector<std::string_view> keys;
    for (const auto& member : *object) keys.push_back(member.key());
    std::ranges::sort(keys);
    out += '{';
    for (const std::string_view key : keys) {
      append_string(key, out);
      out += ':';
      append_canonical(object->at(key), out);
      out += ',';
    }
    out += '}';
  } else if (const Array* array = value.if_array()) {
    out += '[';
    for (const Value& item : *array) {
      append_canonical(item, out);
      out += ',';
    }
    out += ']';
  } else {
    append(value, out);
  }
}

// For each text that occurs more than once, the place of its second occurrence.
std::vector<std::size_t> repeated(const std::vector<std::string>& texts) {
  std::unordered_map<std::string_view, int> times;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (++times[texts[i]] == 2) out.push_back(i);
  }
  return out;
}

void check_set(const Array& list, const std::string& path, FieldErrors& errors) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const Value& item : list) texts.push_back(canonical_text(item));
  for (const std::size_t i : repeated(texts))
    errors.push_back(FieldError::duplicate(index_path(path, i), list[i]));
}

void check_map(const Schema& schema, const Array& list, const std::string& path, FieldErrors& errors) {
  std::vector<Object> keys;
  std::vector<std::string> texts;
  keys.reserve(list.size());
  texts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Object* item = list[i].if_object();
    if (!item && !list[i].is_null()) {
      errors.push_back(FieldError::invalid(index_path(path, i), list[i],
                                           "must be an object for an array of list-type map"));
      return;
    }
    Object key;
    for (const std::string& name : schema.list_map_keys) {
      if (const Value* value = item ? item->if_contains(name) : nullptr) key[name] = *value;
    }
    texts.push_back(canonical_text(key));
    keys.push_back(std::move(key));
  }
  for (const std::size_t i : repeated(texts))
    errors.push_back(FieldError::duplicate(index_path(path, i), keys[i]));
}

void visit(const Schema& schema, const Value& value, GrowingPath& path, std::size_t depth,
           FieldErrors& errors) {
  if (depth > kMaxSchemaDepth) return;
  if (const Array* list = value.if_array()) {
    if (schema.list_type == Schema::ListType::Set) check_set(*list, path.text(), errors);
    if (schema.list_type == Schema::ListType::Map) check_map(schema, *list, path.text(), errors);
    for (std::size_t i = 0; schema.items && i < list->size(); ++i) {
      if (!(*list)[i].is_structured()) continue;
      const auto inside = path.index(i);
      visit(*schema.items, (*list)[i], path, depth + 1, errors);
    }
  } else if (const Object* object = value.if_object()) {
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
}

}  // namespace

std::string canonical_text(const Value& value) {
  std::string out;
  append_canonical(value, out);
  return out;
}

bool are_unique(const Array& list) {
  std::unordered_set<std::string> seen;
  return std::ranges::all_of(list,
                             [&](const Value& item) { return seen.insert(canonical_text(item)).second; });
}

void check_list_types(const Schema& schema, const Value& value, std::string_view path, FieldErrors& errors) {
  GrowingPath growing(path);
  visit(schema, value, growing, 0, errors);
}

}  // namespace fairway::json
