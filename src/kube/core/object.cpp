#include "kube/core/object.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::kube {
namespace {

std::string_view metadata_text(const json::Object& object, std::string_view field) {
  return json::get_string(object, {"metadata", field}).value_or("");
}

std::optional<WallTime> metadata_time(const json::Object& object, std::string_view field) {
  const auto text = json::get_string(object, {"metadata", field});
  return text ? parse_rfc3339(*text) : std::nullopt;
}

bool set_entry(json::Object& object, std::string_view map, std::string_view key, std::string_view value) {
  if (json::get_string(object, {"metadata", map, key}) == value) return false;
  json::ensure_object(object, {"metadata", map})[key] = value;
  return true;
}

// An empty map goes too, as in what Kubernetes writes.
bool remove_entry(json::Object& object, std::string_view map, std::string_view key) {
  json::Value* entries = json::find(object, {"metadata", map});
  if (entries == nullptr || !entries->is_object() || !json::remove(entries->get_object(), key)) return false;
  if (entries->get_object().empty()) json::remove(json::ensure_object(object, {"metadata"}), map);
  return true;
}

json::Array& ensure_array(json::Object& object, std::string_view field) {
  json::Value& value = json::ensure_object(object, {"metadata"})[field];
  if (!value.is_array()) value.emplace_array();
  return value.get_array();
}

}  // namespace

std::string ObjectKey::to_string() const {
  return namespace_.empty() ? name : fmt::format("{}/{}", namespace_, name);
}

std::string_view api_version_of(const json::Object& object) {
  return json::get_string(object, {"apiVersion"}).value_or("");
}

std::string_view kind_of(const json::Object& object) {
  return json::get_string(object, {"kind"}).value_or("");
}

Result<GroupVersionKind> gvk_of(const json::Object& object) {
  return GroupVersionKind::parse(api_version_of(object), kind_of(object));
}

std::string_view name_of(const json::Object& object) {
  return metadata_text(object, "name");
}

std::string_view namespace_of(const json::Object& object) {
  return metadata_text(object, "namespace");
}

std::string_view uid_of(const json::Object& object) {
  return metadata_text(object, "uid");
}

std::string_view resource_version_of(const json::Object& object) {
  return metadata_text(object, "resourceVersion");
}

std::int64_t generation_of(const json::Object& object) {
  return json::get_int(object, {"metadata", "generation"}).value_or(0);
}

std::optional<WallTime> creation_timestamp_of(const json::Object& object) {
  return metadata_time(object, "creationTimestamp");
}

std::optional<WallTime> deletion_timestamp_of(const json::Object& object) {
  return metadata_time(object, "deletionTimestamp");
}

bool is_being_deleted(const json::Object& object) {
  return json::get_string(object, {"metadata", "deletionTimestamp"}).has_value();
}

ObjectKey key_of(const json::Object& object) {
  return {std::string(namespace_of(object)), std::string(name_of(object))};
}

Result<ObjectMeta> metadata_of(const json::Object& object) {
  const json::Value* metadata = json::find(object, {"metadata"});
  if (metadata == nullptr || metadata->is_null()) return ObjectMeta{};
  auto read = json::from_json<ObjectMeta>(*metadata);
  if (!read) return std::unexpected(std::move(read).error().within("metadata"));
  return read;
}

ObjectReference reference_to(const json::Object& object) {
  return {.kind = std::string(kind_of(object)),
          .namespace_ = std::string(namespace_of(object)),
          .name = std::string(name_of(object)),
          .uid = std::string(uid_of(object)),
          .api_version = std::string(api_version_of(object)),
          .resource_version = std::string(resource_version_of(object))};
}

std::optional<std::string_view> label(const json::Object& object, std::string_view key) {
  return json::get_string(object, {"metadata", "labels", key});
}

std::optional<std::string_view> annotation(const json::Object& object, std::string_view key) {
  return json::get_string(object, {"metadata", "annotations", key});
}

bool set_label(json::Object& object, std::string_view key, std::string_view value) {
  return set_entry(object, "labels", key, value);
}

bool set_annotation(json::Object& object, std::string_view key, std::string_view value) {
  return set_entry(object, "annotations", key, value);
}

bool remove_label(json::Object& object, std::string_view key) {
  return remove_entry(object, "labels", key);
}

bool remove_annotation(json::Object& object, std::string_view key) {
  return remove_entry(object, "annotations", key);
}

bool has_finalizer(const json::Object& object, std::string_view finalizer) {
  const json::Array* finalizers = json::get_array(object, {"metadata", "finalizers"});
  return finalizers != nullptr && std::ranges::find(*finalizers, json::Value(finalizer)) != finalizers->end();
}

bool add_finalizer(json::Object& object, std::string_view finalizer) {
  if (has_finalizer(object, finalizer)) return false;
  ensure_array(object, "finalizers").emplace_back(finalizer);
  return true;
}

bool remove_finalizer(json::Object& object, std::string_view finalizer) {
  if (!has_finalizer(object, finalizer)) return false;
  json::Array& finalizers = ensure_array(object, "finalizers");
  const auto [first, last] = std::ranges::remove(finalizers, json::Value(finalizer));
  finalizers.erase(first, last);
  if (finalizers.empty()) json::remove(json::ensure_object(object, {"metadata"}), "finalizers");
  return true;
}

std::vector<OwnerReference> owner_references_of(const json::Object& object) {
  std::vector<OwnerReference> owners;
  const json::Array* references = json::get_array(object, {"metadata", "ownerReferences"});
  if (references == nullptr) return owners;
  for (const json::Value& reference : *references) {
    if (auto owner = json::from_json<OwnerReference>(reference)) owners.push_back(*std::move(owner));
  }
  return owners;
}

std::optional<OwnerReference> controller_of(const json::Object& object) {
  for (OwnerReference& owner : owner_references_of(object)) {
    if (owner.controller.value_or(false)) return std::move(owner);
  }
  return std::nullopt;
}

bool is_owned_by(const json::Object& object, std::string_view owner_uid) {
  const json::Array* references = json::get_array(object, {"metadata", "ownerReferences"});
  if (references == nullptr || owner_uid.empty()) return false;
  return std::ranges::any_of(*references, [&](const json::Value& reference) {
    const json::Object* owner = reference.if_object();
    return owner != nullptr && json::get_string(*owner, {"uid"}) == owner_uid;
  });
}

Result<bool> set_owner(json::Object& object, const OwnerReference& owner) {
  const auto controller = controller_of(object);
  if (owner.controller.value_or(false) && controller && controller->uid != owner.uid) {
    return fail(ErrorCode::Conflict,
                fmt::format("expected {} {} to have no controller, found {} {}", kind_of(object),
                            quoted(name_of(object)), controller->kind, quoted(controller->name)));
  }
  json::Array& references = ensure_array(object, "ownerReferences");
  const json::Value written = json::to_json(owner);
  for (json::Value& reference : references) {
    const json::Object* existing = reference.if_object();
    if (existing == nullptr || json::get_string(*existing, {"uid"}) != owner.uid) continue;
    if (json::same_value(reference, written)) return false;
    reference = written;
    return true;
  }
  references.push_back(written);
  return true;
}

OwnerReference controller_reference(const json::Object& owner) {
  return {.api_version = std::string(api_version_of(owner)),
          .kind = std::string(kind_of(owner)),
          .name = std::string(name_of(owner)),
          .uid = std::string(uid_of(owner)),
          .controller = true,
          .block_owner_deletion = true};
}

}  // namespace fairway::kube
