#include "json/apply_last.hpp"

#include <algorithm>

namespace fairway::json {
namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t kAnnotationsLimit = 256 * 1024;

// As Go writes objects: keys sorted at every level.
Value sorted(const Value& value) {
  if (const Array* list = value.if_array()) {
    Array out;
    for (const Value& item : *list) out.push_back(sorted(item));
    return out;
  }
  const Object* object = value.if_object();
  if (!object) return value;
  std::vector<std::string_view> keys;
  for (const auto& member : *object) keys.push_back(member.key());
  std::ranges::sort(keys);
  Object out;
  for (const std::string_view key : keys) out.emplace(key, sorted(object->at(key)));
  return out;
}

std::size_t annotations_size(const Object& annotations) {
  std::size_t size = 0;
  for (const auto& [key, value] : annotations) {
    size += key.size() + (value.is_string() ? value.get_string().size() : 0);
  }
  return size;
}

}  // namespace

FieldSet allowed_by_last_applied(const Object& live, const FieldWriter& writer) {
  const auto text = get_string(live, {"metadata", "annotations", kAnnotation});
  if (!text || text->empty()) return {};
  const auto parsed = parse(*text);
  if (!parsed || !parsed->is_object()) return {};
  if (get_string(parsed->get_object(), {"apiVersion"}) != writer.api_version) return {};
  if (!check_typed(*writer.schema, *parsed, Duplicates::Refused)) return {};
  const Comparison changed = compare(*writer.schema, *parsed, Value(live));
  return to_field_set(*writer.schema, *parsed)
      .subtract(changed.modified)
      .subtract(changed.added)
      .subtract(changed.removed);
}

void drop_conflicts(OwnedConflicts& conflicts, const FieldSet& allowed) {
  for (auto& [identifier, conflict] : conflicts) conflict.fields = conflict.fields.subtract(allowed);
  std::erase_if(conflicts, [](const auto& each) { return each.second.fields.empty(); });
}

void refresh_last_applied(Object& object, const Object& patch) {
  const auto present = get_string(object, {"metadata", "annotations", kAnnotation});
  if (!present || present->empty()) return;
  Object applied = patch;
  Value* written = find(applied, {"metadata", "annotations"});
  if (written && written->is_object()) {
    remove(written->get_object(), kAnnotation);
    if (written->get_object().empty()) remove(ensure_object(applied, {"metadata"}), "annotations");
  }
  Object& annotations = ensure_object(object, {"metadata", "annotations"});
  annotations[kAnnotation] = serialize(sorted(applied)) + "\n";
  if (annotations_size(annotations) > kAnnotationsLimit) remove(annotations, kAnnotation);
}

}  // namespace fairway::json
