// Reading what other people's objects say: what is missing or of another kind reads as nothing.
#pragma once

#include <string>

#include "json/value.hpp"

namespace fairway::fleet {

// Calls back for every object of the list at the path.
template <class Read>
void each_object(const json::Object& object, json::Path path, Read read) {
  const json::Array* found = json::get_array(object, path);
  if (found == nullptr) return;
  for (const json::Value& each : *found) {
    if (each.is_object()) read(each.get_object());
  }
}

}  // namespace fairway::fleet
