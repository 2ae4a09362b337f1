// Reading lists of objects out of objects, without copies and without complaints. For this folder's .cpp
// files.
#pragma once

#include "json/value.hpp"

namespace fairway::cloud {

inline const json::Array& array_at(const json::Object& object, json::Path path) {
  static const json::Array kNone;
  const json::Array* found = json::get_array(object, path);
  return found == nullptr ? kNone : *found;
}

// Calls `each` with every object of the list.
template <class F>
void for_objects(const json::Object& object, json::Path path, F each) {
  for (const json::Value& value : array_at(object, path))
    if (value.is_object()) each(value.get_object());
}

}  // namespace fairway::cloud
