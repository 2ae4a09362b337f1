#include "objects.hpp"

#include "json/json_pointer.hpp"

namespace fairway::contract {

// Not a merge patch: a null is a value here.
Value merged(Value value, const Body& patch) {
  json::Object* into = value.if_object();
  if (into == nullptr || !patch.value.is_object()) return patch.value;
  for (const auto& [key, member] : patch.value.get_object()) {
    Value& place = (*into)[key];
    place = merged(std::move(place), member);
  }
  return value;
}

Value object(std::string_view api_version, std::string_view kind, std::string_view name, const Body& rest) {
  Value base =
      json::Object{{"apiVersion", api_version}, {"kind", kind}, {"metadata", json::Object{{"name", name}}}};
  return merged(std::move(base), rest);
}

Value config_map(std::string_view name, const Body& rest) {
  return object("v1", "ConfigMap", name, rest);
}

Value secret(std::string_view name, const Body& rest) {
  return object("v1", "Secret", name, rest);
}

Value service(std::string_view name, const Body& rest) {
  return merged(object("v1", "Service", name, "{spec: {selector: {app: a}, ports: [{name: web, port: 80}]}}"),
                rest);
}

Value deployment(std::string_view name, const Body& rest) {
  return merged(object("apps/v1", "Deployment", name, R"(
spec:
  replicas: 0
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      containers:
      - {name: main, image: 'registry.example.com/main:1'}
)"),
                rest);
}

Value lease(std::string_view name, const Body& rest) {
  return merged(object("coordination.k8s.io/v1", "Lease", name,
                       "{spec: {holderIdentity: one, leaseDurationSeconds: 15}}"),
                rest);
}

void set(Value& value, std::string_view pointer, const Body& to) {
  const auto parsed = json::Pointer::parse(pointer);
  FAIRWAY_CHECK(parsed && !parsed->is_root(), "the JSON pointer of a case is wrong: " + std::string(pointer));
  Value* place = &value;
  for (const std::string& token : parsed->tokens()) {
    const auto index = json::parse_array_index(token);
    if (json::Array* array = place->if_array(); array != nullptr && index && *index < array->size()) {
      place = &(*array)[*index];
      continue;
    }
    if (!place->is_object()) *place = json::Object{};
    place = &place->get_object()[token];
  }
  *place = to.value;
}

void erase(Value& value, std::string_view pointer) {
  const auto parsed = json::Pointer::parse(pointer);
  FAIRWAY_CHECK(parsed && !parsed->is_root(), "the JSON pointer of a case is wrong: " + std::string(pointer));
  Value* parent = parsed->parent().find(value);
  if (parent != nullptr && parent->is_object()) json::remove(parent->get_object(), parsed->tokens().back());
}

Names names_of(const Value& list) {
  Names names;
  const Value* items = find_at(list, "/items");
  if (items == nullptr || !items->is_array()) return names;
  for (const Value& item : items->get_array()) names.push_back(text_at(item, "/metadata/name"));
  return names;
}

std::string version_of(const Value& object) {
  return text_at(object, "/metadata/resourceVersion");
}

std::string uid_of(const Value& object) {
  return text_at(object, "/metadata/uid");
}

const Value* managed_by(const Value& object, std::string_view manager, std::string_view subresource) {
  const Value* entries = find_at(object, "/metadata/managedFields");
  if (entries == nullptr || !entries->is_array()) return nullptr;
  for (const Value& entry : entries->get_array()) {
    const std::string_view wanted = subresource.empty() ? "<absent>" : subresource;
    if (text_at(entry, "/manager") == manager && text_at(entry, "/subresource") == wanted) return &entry;
  }
  return nullptr;
}

const Value* element(const Value* array, std::string_view field, std::string_view text) {
  if (array == nullptr || !array->is_array()) return nullptr;
  for (const Value& value : array->get_array()) {
    if (text_at(value, "/" + std::string(field)) == text) return &value;
  }
  return nullptr;
}

}  // namespace fairway::contract
