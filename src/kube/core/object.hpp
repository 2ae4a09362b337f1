// What every Kubernetes object has: type, metadata, references; and reading and changing them in place.
//
// The structs are described for json/codec.hpp; they keep the fields that they do not know. The functions
// work on whole objects as JSON, which is how caches, the API server and patches hold them: reading never
// throws and a missing field gives an empty text, zero or nothing. Views point into the object.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "json/codec.hpp"
#include "json/value.hpp"
#include "kube/core/gvk.hpp"
#include "kube/core/names.hpp"

namespace fairway::kube {

struct TypeMeta {
  std::string api_version;
  std::string kind;
  bool operator==(const TypeMeta&) const = default;
};
BOOST_DESCRIBE_STRUCT(TypeMeta, (), (api_version, kind))
constexpr auto json_fields(const TypeMeta*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller = {};
  std::optional<bool> block_owner_deletion = {};
  bool operator==(const OwnerReference&) const = default;
};
BOOST_DESCRIBE_STRUCT(OwnerReference, (), (api_version, kind, name, uid, controller, block_owner_deletion))

struct ObjectMeta {
  std::string name;
  std::string generate_name = {};
  std::string namespace_ = {};
  std::string uid = {};
  std::string resource_version = {};
  std::int64_t generation = 0;
  std::optional<WallTime> creation_timestamp = {};
  std::optional<WallTime> deletion_timestamp = {};
  std::optional<std::int64_t> deletion_grace_period_seconds = {};
  Labels labels = {};
  Labels annotations = {};
  std::vector<OwnerReference> owner_references = {};
  std::vector<std::string> finalizers = {};
  json::Array managed_fields = {};
  json::Object unknown = {};
  bool operator==(const ObjectMeta&) const = default;
};
BOOST_DESCRIBE_STRUCT(ObjectMeta, (),
                      (name, generate_name, namespace_, uid, resource_version, generation, creation_timestamp,
                       deletion_timestamp, deletion_grace_period_seconds, labels, annotations,
                       owner_references, finalizers, managed_fields, unknown))
constexpr auto json_fields(const ObjectMeta*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct ListMeta {
  std::string resource_version;
  std::string continue_ = {};
  std::optional<std::int64_t> remaining_item_count = {};
  bool operator==(const ListMeta&) const = default;
};
BOOST_DESCRIBE_STRUCT(ListMeta, (), (resource_version, continue_, remaining_item_count))
constexpr auto json_fields(const ListMeta*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct ObjectReference {
  std::string kind;
  std::string namespace_ = {};
  std::string name = {};
  std::string uid = {};
  std::string api_version = {};
  std::string resource_version = {};
  std::string field_path = {};
  bool operator==(const ObjectReference&) const = default;
};
BOOST_DESCRIBE_STRUCT(ObjectReference, (),
                      (kind, namespace_, name, uid, api_version, resource_version, field_path))
constexpr auto json_fields(const ObjectReference*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct LabelSelectorRequirement {
  std::string key;
  std::string operator_;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values = {};
  bool operator==(const LabelSelectorRequirement&) const = default;
};
BOOST_DESCRIBE_STRUCT(LabelSelectorRequirement, (), (key, operator_, values))

struct LabelSelector {
  Labels match_labels = {};
  std::vector<LabelSelectorRequirement> match_expressions = {};
  bool operator==(const LabelSelector&) const = default;
};
BOOST_DESCRIBE_STRUCT(LabelSelector, (), (match_labels, match_expressions))

// metav1.Condition. `status` is "True", "False" or "Unknown".
struct Condition {
  std::string type;
  std::string status;
  std::int64_t observed_generation = 0;
  std::optional<WallTime> last_transition_time = {};
  std::string reason = {};
  std::string message = {};
  json::Object unknown = {};
  bool operator==(const Condition&) const = default;
};
BOOST_DESCRIBE_STRUCT(Condition, (),
                      (type, status, observed_generation, last_transition_time, reason, message, unknown))
constexpr auto json_fields(const Condition*) {
  return std::array{json::Field{.member = "observed_generation", .omit_empty = true}};
}

// Which object of a kind: the key of caches and work queues. Cluster-scoped objects have no namespace.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  std::string to_string() const;  // namespace/name, or name alone
  auto operator<=>(const ObjectKey&) const = default;
};

std::string_view api_version_of(const json::Object& object);
std::string_view kind_of(const json::Object& object);
Result<GroupVersionKind> gvk_of(const json::Object& object);
std::string_view name_of(const json::Object& object);
std::string_view namespace_of(const json::Object& object);
std::string_view uid_of(const json::Object& object);
std::string_view resource_version_of(const json::Object& object);
std::int64_t generation_of(const json::Object& object);
std::optional<WallTime> creation_timestamp_of(const json::Object& object);
std::optional<WallTime> deletion_timestamp_of(const json::Object& object);
bool is_being_deleted(const json::Object& object);
ObjectKey key_of(const json::Object& object);
Result<ObjectMeta> metadata_of(const json::Object& object);
// A reference to the object for Events and the like.
ObjectReference reference_to(const json::Object& object);

std::optional<std::string_view> label(const json::Object& object, std::string_view key);
std::optional<std::string_view> annotation(const json::Object& object, std::string_view key);
// Each of these tells whether it changed anything.
bool set_label(json::Object& object, std::string_view key, std::string_view value);
bool set_annotation(json::Object& object, std::string_view key, std::string_view value);
bool remove_label(json::Object& object, std::string_view key);
bool remove_annotation(json::Object& object, std::string_view key);
bool has_finalizer(const json::Object& object, std::string_view finalizer);
bool add_finalizer(json::Object& object, std::string_view finalizer);
bool remove_finalizer(json::Object& object, std::string_view finalizer);

// Owner references that cannot be read are left out.
std::vector<OwnerReference> owner_references_of(const json::Object& object);
// The owner that manages the object; there is at most one.
std::optional<OwnerReference> controller_of(const json::Object& object);
bool is_owned_by(const json::Object& object, std::string_view owner_uid);
// Adds the owner, or replaces the reference with the same uid. An object has one controller: a second is
// refused.
Result<bool> set_owner(json::Object& object, const OwnerReference& owner);
// As controller of what it owns, and kept until that is gone.
OwnerReference controller_reference(const json::Object& owner);

}  // namespace fairway::kube

template <>
struct std::hash<fairway::kube::ObjectKey> {
  std::size_t operator()(const fairway::kube::ObjectKey& key) const noexcept {
    const std::size_t name = std::hash<std::string>{}(key.name);
    return name ^ (std::hash<std::string>{}(key.namespace_) + 0x9e3779b97f4a7c15 + (name << 6) + (name >> 2));
  }
};
