// Reading fields of objects that may be anything: what is missing or of another kind reads as empty. Internal
// to what the server serves and shows (apiserver_view). Views point into the object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace fairway::apiserver::fields {

inline std::string_view text_at(const json::Object& object, json::Path path) {
  return json::get_string(object, path).value_or("");
}

inline std::string copy_at(const json::Object& object, json::Path path) {
  return std::string(text_at(object, path));
}

inline bool flag_at(const json::Object& object, json::Path path) {
  return json::get_bool(object, path).value_or(false);
}

std::vector<std::string> texts_at(const json::Object& object, json::Path path);

// Whether status.conditions has one of the type with status True.
bool has_true_condition(const json::Object& object, std::string_view type);

// The objects of the list at the path, in order.
template <class Visit>
void each_object(const json::Object& object, json::Path path, Visit&& visit) {
  const json::Array* list = json::get_array(object, path);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if (const json::Object* item = (*list)[i].if_object()) visit(*item);
  }
}

}  // namespace fairway::apiserver::fields
