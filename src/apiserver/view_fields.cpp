#include "apiserver/view_fields.hpp"

namespace fairway::apiserver::fields {

std::vector<std::string> texts_at(const json::Object& object, json::Path path) {
  std::vector<std::string> out;
  const json::Array* list = json::get_array(object, path);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if (const auto* text = (*list)[i].if_string()) out.emplace_back(json::view(*text));
  }
  return out;
}

bool has_true_condition(const json::Object& object, std::string_view type) {
  bool found = false;
  each_object(object, {"status", "conditions"}, [&](const json::Object& condition) {
    found = found || (text_at(condition, {"type"}) == type && text_at(condition, {"status"}) == "True");
  });
  return found;
}

}  // namespace fairway::apiserver::fields
