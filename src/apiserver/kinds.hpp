// What a schema cannot say about a kind: computed defaults, rules between fields, what may not change.
//
// Every resource has KindRules; those of custom resources are plain. The functions are pure; the order in a write
// is prune, schema defaults, default_fields, prepare_create or prepare_update, schema validation, validate,
// validate_update. Objects are in the storage version.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/catalog.hpp"
#include "json/schema_errors.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// What preparing an object may ask of the cluster.
struct KindContext {
  std::string seed;  // the object's uid: addresses and ports are spread by it
  std::function<bool(std::string_view address)> is_cluster_ip_used;
  std::function<bool(std::int64_t port)> is_node_port_used;
};

struct KindRules {
  // The message of what is wrong with a name; empty when it is right. `is_prefix`: of a generateName.
  std::vector<std::string> (*name_problems)(std::string_view name, bool is_prefix);
  bool needs_resource_version = false;  // an update without one is refused
  bool counts_generations = false;      // metadata.generation grows with every change outside of metadata and status
  void (*default_fields)(json::Object& object);
  void (*prepare_create)(json::Object& object, const KindContext& context);
  void (*prepare_update)(const json::Object& before, json::Object& object, const KindContext& context);
  json::FieldErrors (*validate)(const json::Object& object);
  json::FieldErrors (*validate_update)(const json::Object& before, const json::Object& object);
};

const KindRules& rules_of(const Resource& resource);

}  // namespace fairway::apiserver
