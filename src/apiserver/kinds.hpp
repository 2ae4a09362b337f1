// What a schema cannot say about a kind: computed defaults, rules between fields, what may not change.
//
// Every resource has KindRules; those of custom resources are plain. The functions are pure and take whatever
// JSON comes; the order in a write is prune, schema defaults, default_fields, prepare_create or
// prepare_update (these for the object itself, not for its subresources), schema validation, validate,
// validate_update. Objects are in the storage version. Only name_problems is never null.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// What preparing an object may ask of the cluster. An object's own address and ports are never asked about.
struct KindContext {
  std::string seed;  // the object's uid: addresses and ports are spread by it
  std::function<bool(std::string_view address)> is_cluster_ip_used;
  std::function<bool(std::int64_t port)> is_node_port_used;
};

struct KindRules {
  // The message of what is wrong with a name; empty when it is right. `is_prefix`: of a generateName.
  std::vector<std::string> (*name_problems)(std::string_view name, bool is_prefix) = nullptr;
  bool needs_resource_version = false;  // an update without one is refused
  bool counts_generations =
      false;  // metadata.generation grows with every change outside of metadata and status
  bool is_born_with_status = false;  // a create may set it; for others that is the status subresource's
  void (*default_fields)(json::Object& object) = nullptr;
  // Errors: what only matters at this moment, such as an address that another object has.
  json::FieldErrors (*prepare_create)(json::Object& object, const KindContext& context) = nullptr;
  json::FieldErrors (*prepare_update)(const json::Object& before, json::Object& object,
                                      const KindContext& context) = nullptr;
  json::FieldErrors (*validate)(const json::Object& object) = nullptr;
  json::FieldErrors (*validate_update)(const json::Object& before, const json::Object& object) = nullptr;
  bool is_update_validated_whole = false;  // by validate_update alone; else by both
};

const KindRules& rules_of(const Resource& resource);

}  // namespace fairway::apiserver
