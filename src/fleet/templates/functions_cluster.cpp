#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "fleet/templates/functions.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

using Answer = Result<json::Value>;

// The arguments from `from` on, as one selector of labels.
std::string selector_from(const Call& call, std::size_t from) {
  std::vector<std::string> parts;
  for (std::size_t i = from; i < call.arguments.size(); ++i) parts.push_back(text_at(call, i));
  return join(parts, ",");
}

// lookup apiVersion kind namespace name [labels…]: the object; the list, where there is no name; an empty
// map, where there is none.
Answer look_up(const Call& call) {
  FAIRWAY_TRY(json::Value found, call.session.look_up({.api_version = text_at(call, 0),
                                                       .kind = text_at(call, 1),
                                                       .namespace_ = text_at(call, 2),
                                                       .name = text_at(call, 3),
                                                       .selector = selector_from(call, 4)}));
  return found.is_null() ? json::Value(json::Object()) : found;
}

Result<json::Object> data_of(const Call& call, std::string_view kind) {
  const Lookup lookup{.api_version = "v1",
                      .kind = std::string(kind),
                      .namespace_ = text_at(call, 0),
                      .name = text_at(call, 1)};
  if (lookup.name.empty()) return fail(ErrorCode::Invalid, fmt::format("the name of the {} is empty", kind));
  FAIRWAY_TRY(const json::Value found, call.session.look_up(lookup));
  if (!found.is_object()) return fail(ErrorCode::NotFound, fmt::format("there is no {}", lookup.to_string()));
  const json::Object* data = json::get_object(found.get_object(), {"data"});
  return data == nullptr ? json::Object() : *data;
}

Answer datum_of(const Call& call, std::string_view kind) {
  FAIRWAY_TRY(const json::Object data, data_of(call, kind));
  const json::Value* found = data.if_contains(text_at(call, 2));
  return found == nullptr ? json::Value("") : json::Value(*found);
}

Answer all_data_of(const Call& call, std::string_view kind) {
  FAIRWAY_TRY(json::Object data, data_of(call, kind));
  return json::Value(std::move(data));
}

Answer claim(const Call& call, bool is_needed) {
  const Lookup lookup{.api_version = "cluster.open-cluster-management.io/v1alpha1",
                      .kind = "ClusterClaim",
                      .name = text_at(call, 0)};
  FAIRWAY_TRY(const json::Value found, call.session.look_up(lookup));
  if (!found.is_object())
    return is_needed ? Answer(fail(ErrorCode::NotFound, fmt::format("there is no {}", lookup.to_string())))
                     : Answer(json::Value(""));
  return json::Value(json::get_string(found.get_object(), {"spec", "value"}).value_or(""));
}

std::set<std::string> roles_of(const json::Object& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  if (const json::Object* labels = json::get_object(node, {"metadata", "labels"}))
    for (const auto& each : *labels)
      if (const std::string_view key(each.key()); key.starts_with(kPrefix))
        roles.emplace(key.substr(kPrefix.size()));
  return roles;
}

// The nodes that have these roles and no others.
Answer nodes_with(const Call& call) {
  std::set<std::string> wanted;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) wanted.insert(text_at(call, i));
  FAIRWAY_TRY(const json::Value found, call.session.look_up({.api_version = "v1", .kind = "Node"}));
  json::Object list = found.is_object() ? found.get_object() : json::Object();
  json::Array nodes;
  if (const json::Array* items = json::get_array(list, {"items"}))
    for (const json::Value& each : *items)
      if (each.is_object() && roles_of(each.get_object()) == wanted) nodes.push_back(each);
  list["items"] = std::move(nodes);
  return json::Value(std::move(list));
}

constexpr FunctionEntry kClusterFunctions[] = {
    {"lookup", look_up, 4, kAnyNumber},
    {"fromConfigMap", [](const Call& call) { return datum_of(call, "ConfigMap"); }, 3, 3},
    {"fromSecret", [](const Call& call) { return datum_of(call, "Secret"); }, 3, 3},
    {"copyConfigMapData", [](const Call& call) { return all_data_of(call, "ConfigMap"); }, 2, 2},
    {"copySecretData", [](const Call& call) { return all_data_of(call, "Secret"); }, 2, 2},
    {"fromClusterClaim", [](const Call& call) { return claim(call, true); }, 1, 1, Side::Cluster, false},
    {"lookupClusterClaim", [](const Call& call) { return claim(call, false); }, 1, 1, Side::Cluster, false},
    {"getNodesWithExactRoles", nodes_with, 1, kAnyNumber},
    {"hasNodesWithExactRoles",
     [](const Call& call) -> Answer {
       FAIRWAY_TRY(const json::Value nodes, nodes_with(call));
       return json::Value(!nodes.get_object().at("items").get_array().empty());
     },
     1, kAnyNumber},
    {"skipObject",
     [](const Call& call) -> Answer {
       if (call.arguments.empty() || is_true(call.arguments[0])) call.session.skip_object();
       return json::Value("");
     },
     0, 1, Side::Cluster, false},
};

}  // namespace

std::span<const FunctionEntry> cluster_functions() {
  return kClusterFunctions;
}

}  // namespace fairway::fleet::templates
