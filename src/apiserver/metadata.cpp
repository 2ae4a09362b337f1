#include "apiserver/metadata.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "kube/core/names.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

constexpr std::array<std::string_view, 6> kServerFields{
    "uid", "creationTimestamp", "deletionTimestamp", "generation", "selfLink", "deletionGracePeriodSeconds"};
constexpr std::size_t kLongestGeneratedPrefix = 58;

Object& metadata_of(Object& object) {
  return json::ensure_object(object, {"metadata"});
}

kube::Labels text_map(const Object* object) {
  kube::Labels map;
  if (object == nullptr) return map;
  for (const auto& [key, value] : *object) {
    if (value.is_string()) map.emplace(key, json::view(value.get_string()));
  }
  return map;
}

std::vector<std::string> texts(const json::Array* array) {
  std::vector<std::string> result;
  if (array == nullptr) return result;
  for (const Value& value : *array) {
    if (value.is_string()) result.emplace_back(json::view(value.get_string()));
  }
  return result;
}

void append(FieldErrors& errors, FieldErrors more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

ApiResult<void> settle_namespace(const WriteRequest& request, Object& metadata) {
  const auto found = json::get_string(metadata, {"namespace"}).value_or("");
  if (!request.resource->is_namespaced) {
    json::remove(metadata, "namespace");
    return {};
  }
  if (found.empty()) {
    metadata["namespace"] = request.ns;
  } else if (found != request.ns) {
    return refuse(bad_request(fmt::format(
        "the namespace of the provided object does not match the namespace sent on the request")));
  }
  return {};
}

FieldErrors validate_name(const KindRules& rules, const Object& metadata) {
  FieldErrors errors;
  const auto name = json::get_string(metadata, {"name"}).value_or("");
  const auto prefix = json::get_string(metadata, {"generateName"}).value_or("");
  if (!prefix.empty()) {
    for (const std::string& problem : rules.name_problems(prefix, true)) {
      errors.push_back(FieldError::invalid("metadata.generateName", Value(prefix), problem));
    }
  }
  if (name.empty()) {
    errors.push_back(FieldError::required("metadata.name", "name or generateName is required"));
    return errors;
  }
  for (const std::string& problem : rules.name_problems(name, false)) {
    errors.push_back(FieldError::invalid("metadata.name", Value(name), problem));
  }
  return errors;
}

FieldErrors validate_owners(const Object& metadata) {
  FieldErrors errors;
  const json::Array* owners = json::get_array(metadata, {"ownerReferences"});
  if (owners == nullptr) return errors;
  std::string controller;
  for (std::size_t i = 0; i < owners->size(); ++i) {
    const std::string path = "metadata.ownerReferences";
    const Object* owner = (*owners)[i].if_object();
    if (owner == nullptr) continue;  // the schema says so
    for (std::string_view field : {"apiVersion", "kind", "name", "uid"}) {
      if (json::get_string(*owner, {field}).value_or("").empty()) {
        errors.push_back(FieldError::invalid(json::child_path(path, field), Value(""),
                                             std::string(field) + " must not be empty"));
      }
    }
    if (!json::get_bool(*owner, {"controller"}).value_or(false)) continue;
    const std::string name = fmt::format("{}/{}", json::get_string(*owner, {"kind"}).value_or(""),
                                         json::get_string(*owner, {"name"}).value_or(""));
    if (!controller.empty()) {
      errors.push_back(FieldError::invalid("metadata.ownerReferences", Value(*owners),
                                           fmt::format("Only one reference can have Controller set to true. "
                                                       "Found \"true\" in references for {} and {}",
                                                       controller, name)));
    }
    controller = name;
  }
  return errors;
}

FieldErrors validate_finalizers(const Object* before, const Object& object) {
  FieldErrors errors;
  const auto finalizers = texts(json::get_array(object, {"metadata", "finalizers"}));
  bool orphan = false, foreground = false;
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    orphan = orphan || finalizers[i] == "orphan";
    foreground = foreground || finalizers[i] == "foregroundDeletion";
    for (const std::string& problem : kube::validate_qualified_name(finalizers[i])) {
      errors.push_back(FieldError::invalid("metadata.finalizers", Value(finalizers[i]), problem));
    }
  }
  if (orphan && foreground) {
    errors.push_back(FieldError::invalid("metadata.finalizers",
                                         Value(*json::get_array(object, {"metadata", "finalizers"})),
                                         "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  if (before == nullptr || !json::get_string(*before, {"metadata", "deletionTimestamp"})) return errors;
  const auto old = texts(json::get_array(*before, {"metadata", "finalizers"}));
  std::vector<std::string> added;
  for (const std::string& finalizer : finalizers) {
    if (std::ranges::find(old, finalizer) == old.end()) added.push_back(json::go_quoted(finalizer));
  }
  if (!added.empty()) {
    errors.push_back(FieldError::forbidden("metadata.finalizers",
                                           fmt::format("no new finalizers can be added if the object is "
                                                       "being deleted, found new finalizers []string{{{}}}",
                                                       join(added, ", "))));
  }
  return errors;
}

// Empty lists and maps are not written, as in Go.
void drop_empty(Object& metadata) {
  for (std::string_view field : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const Value* value = metadata.if_contains(field);
    if (value == nullptr) continue;
    const bool is_empty = (value->is_object() && value->get_object().empty()) ||
                          (value->is_array() && value->get_array().empty());
    if (is_empty) json::remove(metadata, field);
  }
}

}  // namespace

ApiResult<void> settle_identity(const WriteRequest& request, Object& incoming) {
  Object& metadata = metadata_of(incoming);
  if (!json::get_string(metadata, {"resourceVersion"}).value_or("").empty()) {
    return refuse(bad_request("resourceVersion should not be set on objects to be created"));
  }
  json::remove(metadata, "resourceVersion");
  if (auto settled = settle_namespace(request, metadata); !settled) return settled;
  const std::string name(json::get_string(metadata, {"name"}).value_or(""));
  if (!request.name.empty()) {
    if (!name.empty() && name != request.name) {
      return refuse(bad_request(fmt::format(
          "the name of the object ({}) does not match the name on the URL ({})", name, request.name)));
    }
    metadata["name"] = request.name;
  } else if (name.empty()) {
    const auto prefix = json::get_string(metadata, {"generateName"}).value_or("");
    if (!prefix.empty())
      metadata["name"] = std::string(prefix.substr(0, kLongestGeneratedPrefix)) + request.name_suffix;
  }
  return {};
}

ApiResult<void> check_same_identity(const WriteRequest& request, Object& incoming) {
  Object& metadata = metadata_of(incoming);
  if (auto settled = settle_namespace(request, metadata); !settled) return settled;
  const std::string name(json::get_string(metadata, {"name"}).value_or(""));
  if (name.empty()) return refuse(bad_request("name must be provided"));
  if (name != request.name) {
    return refuse(bad_request(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", name, request.name)));
  }
  return {};
}

void stamp_new(const WriteRequest& request, const KindRules& rules, Object& object) {
  Object& metadata = metadata_of(object);
  for (std::string_view field : kServerFields) json::remove(metadata, field);
  drop_empty(metadata);
  metadata["uid"] = request.uid;
  metadata["creationTimestamp"] = format_rfc3339(request.now);
  if (rules.counts_generations) metadata["generation"] = 1;
}

void keep_stamps(const Object& before, Object& object) {
  Object& metadata = metadata_of(object);
  drop_empty(metadata);
  const Object* old = json::get_object(before, {"metadata"});
  for (std::string_view field : kServerFields) {
    const Value* value = old == nullptr ? nullptr : old->if_contains(field);
    if (value == nullptr) {
      json::remove(metadata, field);
    } else {
      metadata[field] = *value;
    }
  }
  const auto version = json::get_string(before, {"metadata", "resourceVersion"});
  if (version) metadata["resourceVersion"] = *version;
}

FieldErrors validate_metadata(const Resource&, const KindRules& rules, const Object* before,
                              const Object& object) {
  const Object* metadata = json::get_object(object, {"metadata"});
  FAIRWAY_CHECK(metadata != nullptr, "an object without metadata reached validation");
  FieldErrors errors = validate_name(rules, *metadata);
  append(errors, kube::validate_labels(text_map(json::get_object(*metadata, {"labels"})), "metadata.labels"));
  append(errors, kube::validate_annotations(text_map(json::get_object(*metadata, {"annotations"})),
                                            "metadata.annotations"));
  append(errors, validate_owners(*metadata));
  append(errors, validate_finalizers(before, object));
  return errors;
}

}  // namespace fairway::apiserver
