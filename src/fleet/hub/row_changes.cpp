#include "fleet/hub/row_changes.hpp"

#include <fmt/format.h>

namespace fairway::fleet {
namespace {

constexpr std::size_t kMostRows = 200;
constexpr std::string_view kWord = "compliant";

// What it takes to make the member of one the same as of the other.
void put_word(json::Array& patch, std::string_view path, const json::Value* before,
              const json::Value* after) {
  if (after == nullptr) {
    if (before != nullptr) patch.push_back(json::Object{{"op", "remove"}, {"path", path}});
  } else if (before == nullptr || *before != *after) {
    patch.push_back(json::Object{{"op", "add"}, {"path", path}, {"value", *after}});
  }
}

bool has_same_others(const json::Object& before, const json::Object& after) {
  if (before.size() - before.contains(kWord) != after.size() - after.contains(kWord)) return false;
  for (const auto& each : before) {
    if (each.key() == kWord || each.key() == "status") continue;
    const json::Value* other = after.if_contains(each.key());
    if (other == nullptr || !json::same_value(each.value(), *other)) return false;
  }
  return true;
}

bool is_same_cluster(const json::Value& left, const json::Value& right) {
  if (!left.is_object() || !right.is_object()) return false;
  return json::get_string(left.get_object(), {"clustername"}) ==
         json::get_string(right.get_object(), {"clustername"});
}

}  // namespace

std::optional<json::Array> row_changes(const json::Object& before, const json::Object& after,
                                       std::string_view resource_version) {
  const json::Array* old_rows = json::get_array(before, {"status"});
  const json::Array* new_rows = json::get_array(after, {"status"});
  if (old_rows == nullptr || new_rows == nullptr || old_rows->size() != new_rows->size()) return std::nullopt;
  if (!has_same_others(before, after)) return std::nullopt;
  json::Array patch;
  // A version that is written must be the one that is there.
  patch.push_back(
      json::Object{{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", resource_version}});
  put_word(patch, "/status/compliant", before.if_contains(kWord), after.if_contains(kWord));
  for (std::size_t i = 0; i < old_rows->size(); ++i) {
    if (!is_same_cluster((*old_rows)[i], (*new_rows)[i])) return std::nullopt;
    put_word(patch, fmt::format("/status/status/{}/compliant", i),
             (*old_rows)[i].get_object().if_contains(kWord), (*new_rows)[i].get_object().if_contains(kWord));
    if (patch.size() > kMostRows) return std::nullopt;
  }
  return patch;
}

}  // namespace fairway::fleet
