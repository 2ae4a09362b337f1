#include "apiserver/lifecycle.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "apiserver/metadata.hpp"
#include "base/text.hpp"
#include "json/apply.hpp"
#include "json/schema_prune.hpp"
#include "json/schema_validate.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::FieldError;
using json::FieldErrors;
using json::Object;
using json::Value;

constexpr std::string_view kCrdKind = "CustomResourceDefinition";

// Built-in kinds decode as they do in Go: a null is an absent field.
void strip_nulls(Value& value) {
  if (Object* object = value.if_object()) {
    for (auto it = object->begin(); it != object->end();) {
      if (it->value().is_null()) {
        it = object->stable_erase(it);
      } else {
        strip_nulls(it->value());
        ++it;
      }
    }
  } else if (json::Array* array = value.if_array()) {
    for (Value& element : *array) strip_nulls(element);
  }
}

// apiVersion, kind, metadata, and then the rest as it came.
Object in_order(const WriteRequest& request, Object object) {
  Object ordered(object.storage());
  ordered.reserve(object.size() + 3);
  ordered["apiVersion"] = request.resource->api_version(request.resource->storage_version());
  ordered["kind"] = request.resource->kind;
  ordered["metadata"] = std::move(json::ensure_object(object, {"metadata"}));
  for (auto& [key, value] : object) {
    if (key != "apiVersion" && key != "kind" && key != "metadata") ordered.emplace(key, std::move(value));
  }
  return ordered;
}

ApiError cannot_be_handled(const WriteRequest& request, std::string_view why) {
  return bad_request(fmt::format("{} in version {} cannot be handled as a {}: {}", request.resource->kind,
                                 quoted(request.version->name), request.resource->kind, why));
}

// A wrong type is found when a client's text is read into a Go struct: that makes it a bad request, not an
// invalid object. Custom resources have a struct for their metadata alone.
bool is_decoding_error(const WriteRequest& request, const FieldError& error) {
  const bool is_out_of_range = error.detail.find("with format int32") != std::string::npos;
  if (error.type != FieldError::Type::TypeInvalid && !is_out_of_range) return false;
  return !request.resource->is_custom || error.field.starts_with("metadata.");
}

// Unknown fields go; by the request's wish they are warned of or refused.
ApiResult<void> prune_unknown(const WriteRequest& request, Value& value, std::vector<std::string>& warnings) {
  std::vector<std::string> unknown;
  if (!request.resource->is_custom && request.resource->kind != kCrdKind) strip_nulls(value);
  json::prune(*request.version->schema, value, &unknown);
  if (unknown.empty() || request.validation == FieldValidation::Ignore) return {};
  std::vector<std::string> texts;
  texts.reserve(unknown.size());
  for (const std::string& path : unknown) texts.push_back(json::unknown_field_text(path));
  if (request.validation == FieldValidation::Warn) {
    warnings.insert(warnings.end(), texts.begin(), texts.end());
    return {};
  }
  const std::string problem = "strict decoding error: " + join(texts, ", ");
  if (request.is_patch) {
    return refuse(
        invalid(*request.resource, request.name, {FieldError::invalid("patch", Value(""), problem)}));
  }
  return refuse(cannot_be_handled(request, problem));
}

// Checks and completes what the client sent; the result is in the storage version but not yet stamped.
ApiResult<Object> admit(const WriteRequest& request, Object incoming, std::vector<std::string>& warnings) {
  Value value = std::move(incoming);
  if (auto pruned = prune_unknown(request, value, warnings); !pruned)
    return refuse(std::move(pruned.error()));
  json::apply_defaults(*request.version->schema, value);
  return in_order(request, std::move(value.get_object()));
}

bool keeps_status_apart(const WriteRequest& request) {
  return request.version->has_status;
}

// The object is only looked at; it is lent for that.
ApiResult<void> check_fields(const WriteRequest& request, const Object* before, Object& object) {
  const KindRules& rules = rules_of(*request.resource);
  FieldErrors errors = validate_metadata(*request.resource, rules, before, object);
  const auto add = [&](FieldErrors more) {
    errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  FieldErrors by_schema = json::validate(*request.version->schema, json::Lent(object).value());
  const auto undecodable = std::ranges::find_if(
      by_schema, [&](const FieldError& error) { return is_decoding_error(request, error); });
  if (undecodable != by_schema.end() && !request.is_patch)
    return refuse(cannot_be_handled(request, undecodable->text()));
  const bool is_whole = before != nullptr && rules.is_update_validated_whole;
  FieldErrors by_kind = is_whole         ? rules.validate_update(*before, object)
                        : rules.validate ? rules.validate(object)
                                         : FieldErrors{};
  // Where both find fault with a field, the kind's own words are the ones that clients know.
  std::erase_if(by_schema, [&](const FieldError& error) {
    return std::ranges::find(by_kind, error.field, &FieldError::field) != by_kind.end();
  });
  add(std::move(by_schema));
  add(std::move(by_kind));
  if (before && rules.validate_update && !is_whole) add(rules.validate_update(*before, object));
  if (errors.empty()) return {};
  return refuse(invalid(*request.resource, kube::name_of(object), errors));
}

// Everything but metadata and, where it is written apart, status: what a generation counts.
bool has_changed_meaning(const WriteRequest& request, const Object& before, const Object& after) {
  const bool skips_status = keeps_status_apart(request);
  const auto is_meaning = [&](std::string_view key) {
    return key != "metadata" && !(skips_status && key == "status");
  };
  const auto count = [&](const Object& object) {
    return std::ranges::count_if(object, [&](const auto& member) { return is_meaning(member.key()); });
  };
  if (count(before) != count(after)) return true;
  return std::ranges::any_of(after, [&](const auto& member) {
    if (!is_meaning(member.key())) return false;
    const Value* old = before.if_contains(member.key());
    return old == nullptr || *old != member.value();
  });
}

ApiResult<void> check_preconditions(const WriteRequest& request, const Object& before,
                                    const Object& incoming) {
  const std::string_view name = kube::name_of(before);
  const auto uid = json::get_string(incoming, {"metadata", "uid"}).value_or("");
  const auto own_uid = json::get_string(before, {"metadata", "uid"}).value_or("");
  if (!uid.empty() && uid != own_uid) {
    return refuse(conflict(
        *request.resource, name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, own_uid)));
  }
  const auto version = json::get_string(incoming, {"metadata", "resourceVersion"}).value_or("");
  if (version.empty()) {
    if (!rules_of(*request.resource).needs_resource_version || request.is_applied) return {};
    return refuse(invalid(
        *request.resource, name,
        {FieldError::invalid("metadata.resourceVersion", Value(0), "must be specified for an update")}));
  }
  if (version != json::get_string(before, {"metadata", "resourceVersion"}).value_or("")) {
    return refuse(stale_object(*request.resource, name));
  }
  return {};
}

// The object as the subresource may change it: its status alone, or all but its status.
Object restrict_to_subresource(const WriteRequest& request, const Object& before, Object incoming) {
  if (request.subresource == "status") {
    Object object(before.storage());
    object.reserve(before.size() + 1);
    Value* const status = incoming.if_contains("status");
    for (const auto& [key, value] : before) {
      if (key == "metadata") {
        object.emplace(key, json::metadata_without_managed_fields(value.get_object()));
      } else if (key != "status") {
        object.emplace(key, value);
      } else if (status != nullptr) {
        object.emplace(key, std::move(*status));
      }
    }
    if (status != nullptr && !object.contains("status")) object.emplace("status", std::move(*status));
    if (Value* managed = json::find(incoming, {"metadata", "managedFields"}))
      object["metadata"].get_object()["managedFields"] = std::move(*managed);
    return object;
  }
  if (!keeps_status_apart(request)) return incoming;
  json::remove(incoming, "status");
  if (const Value* status = before.if_contains("status")) incoming["status"] = *status;
  return incoming;
}

}  // namespace

json::FieldWriter field_writer(const WriteRequest& request) {
  json::FieldWriter writer;
  writer.manager = request.manager;
  writer.api_version = request.resource->api_version(*request.version);
  writer.subresource = request.subresource;
  writer.now = request.now;
  writer.schema = request.version->schema.get();
  writer.versions = [resource = request.resource](std::string_view api_version) -> const json::Schema* {
    for (const ServedVersion& version : resource->versions) {
      if (resource->api_version(version) == api_version) return version.schema.get();
    }
    return nullptr;
  };
  if (keeps_status_apart(request)) {
    const auto kept = request.subresource == "status" ? "spec" : "status";
    writer.reset_fields.insert({json::PathElement::field(kept)});
  }
  return writer;
}

ApiResult<Prepared> prepare_create(const WriteRequest& request, Object incoming) {
  Prepared prepared;
  if (auto named = settle_identity(request, incoming); !named) return refuse(std::move(named.error()));
  auto admitted = admit(request, std::move(incoming), prepared.warnings);
  if (!admitted) return refuse(std::move(admitted.error()));
  Object& object = prepared.object = *std::move(admitted);
  const KindRules& rules = rules_of(*request.resource);
  if (keeps_status_apart(request) && !rules.is_born_with_status) json::remove(object, "status");
  stamp_new(request, rules, object);
  if (rules.default_fields) rules.default_fields(object);
  if (rules.prepare_create) {
    const FieldErrors problems = rules.prepare_create(object, request.kind);
    if (!problems.empty()) return refuse(invalid(*request.resource, kube::name_of(object), problems));
  }
  Object nothing;
  if (!request.is_applied) json::track_update(nothing, object, field_writer(request));
  if (auto checked = check_fields(request, nullptr, object); !checked)
    return refuse(std::move(checked.error()));
  return prepared;
}

ApiResult<Prepared> prepare_update(const WriteRequest& request, Object& before, Object incoming) {
  Prepared prepared;
  if (auto same = check_same_identity(request, incoming); !same) return refuse(std::move(same.error()));
  if (json::find(incoming, {"metadata", "deletionTimestamp"}) != nullptr && !kube::is_being_deleted(before)) {
    const Value& found = *json::find(incoming, {"metadata", "deletionTimestamp"});
    if (!found.is_null()) {
      return refuse(
          invalid(*request.resource, request.name,
                  {FieldError::invalid("metadata.deletionTimestamp", found, "field is immutable")}));
    }
  }
  if (auto met = check_preconditions(request, before, incoming); !met) return refuse(std::move(met.error()));
  auto admitted = admit(request, std::move(incoming), prepared.warnings);
  if (!admitted) return refuse(std::move(admitted.error()));
  const KindRules& rules = rules_of(*request.resource);
  Object& object = prepared.object = restrict_to_subresource(request, before, *std::move(admitted));
  keep_stamps(before, object);
  if (rules.default_fields) rules.default_fields(object);
  const bool is_ordinary = request.subresource.empty();
  if (is_ordinary && rules.prepare_update) {
    const FieldErrors problems = rules.prepare_update(before, object, request.kind);
    if (!problems.empty()) return refuse(invalid(*request.resource, request.name, problems));
  }
  if (rules.counts_generations && is_ordinary && has_changed_meaning(request, before, object)) {
    const auto generation = json::get_int(before, {"metadata", "generation"}).value_or(0);
    object["metadata"].get_object()["generation"] = generation + 1;
  }
  if (!request.is_applied) json::track_update(before, object, field_writer(request));
  if (auto checked = check_fields(request, &before, object); !checked)
    return refuse(std::move(checked.error()));
  return prepared;
}

bool is_ready_to_go(const Resource& resource, const Object& object) {
  if (!kube::is_being_deleted(object)) return false;
  const json::Array* finalizers = json::get_array(object, {"metadata", "finalizers"});
  if (finalizers != nullptr && !finalizers->empty()) return false;
  if (resource.group.empty() && resource.kind == "Namespace") {
    const json::Array* own = json::get_array(object, {"spec", "finalizers"});
    return own == nullptr || own->empty();
  }
  return true;
}

namespace {

// But for the version, which every write gives anew.
bool has_same_metadata(const Object& before, const Object& after) {
  const auto is_content = [](const auto& member) { return member.key() != "resourceVersion"; };
  return std::ranges::count_if(before, is_content) == std::ranges::count_if(after, is_content) &&
         std::ranges::all_of(after, [&](const auto& member) {
           const Value* old = before.if_contains(member.key());
           return !is_content(member) || (old != nullptr && *old == member.value());
         });
}

}  // namespace

bool is_unchanged(const Object& before, const Object& after) {
  if (before.size() != after.size()) return false;
  for (const auto& [key, value] : after) {
    const Value* old = before.if_contains(key);
    if (old == nullptr) return false;
    if (key != "metadata") {
      if (*old != value) return false;
      continue;
    }
    if (!has_same_metadata(old->get_object(), value.get_object())) return false;
  }
  return true;
}

}  // namespace fairway::apiserver
