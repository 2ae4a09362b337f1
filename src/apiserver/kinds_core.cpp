// Namespace, Node, Lease.
#include <fmt/format.h>
#include <set>

#include "apiserver/kinds_support.hpp"
#include "apiserver/kinds_table.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kNamespaceFinalizer = "kubernetes";

void default_namespace(Object& object) {
  const std::string name(kube::name_of(object));
  if (!name.empty()) kube::set_label(object, kNameLabel, name);
}

FieldErrors prepare_namespace_create(Object& object, const KindContext&) {
  object["status"] = Object{{"phase", "Active"}};
  Object& spec = json::ensure_object(object, {"spec"});
  std::vector<std::string> finalizers = texts_at(spec, {"finalizers"});
  if (std::ranges::find(finalizers, kNamespaceFinalizer) == finalizers.end())
    finalizers.emplace_back(kNamespaceFinalizer);
  spec["finalizers"] = to_array(finalizers);
  return {};
}

// Finalizers are taken away through the subresource finalize alone.
FieldErrors prepare_namespace_update(const Object& before, Object& object, const KindContext&) {
  Object& spec = json::ensure_object(object, {"spec"});
  if (const Value* finalizers = json::find(before, {"spec", "finalizers"})) {
    spec["finalizers"] = *finalizers;
  } else {
    json::remove(spec, "finalizers");
  }
  return {};
}

FieldErrors validate_namespace(const Object& object) {
  FieldErrors errors;
  for (const std::string& finalizer : texts_at(object, {"spec", "finalizers"})) {
    append(errors, invalid_because("spec.finalizers", finalizer, kube::validate_qualified_name(finalizer)));
    if (finalizer.find('/') == std::string::npos && finalizer != kNamespaceFinalizer) {
      errors.push_back(
          FieldError::invalid("spec.finalizers", Value(finalizer),
                              "name is neither a standard finalizer name nor is it fully qualified"));
    }
  }
  return errors;
}

FieldErrors validate_namespace_update(const Object& before, const Object& object) {
  if (is_same(before, object, {"status", "phase"})) return {};
  const std::string phase = json::text_at(object, {"status", "phase"});
  const bool is_going = kube::is_being_deleted(object);
  if (phase == (is_going ? "Terminating" : "Active")) return {};
  return {FieldError::invalid("status.Phase", Value(phase),
                              is_going ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                                       : "may only be 'Active' if `deletionTimestamp` is empty")};
}

// podCIDR is the first of podCIDRs; whichever was given, both are there.
void default_node(Object& object) {
  for (const std::string_view list : {"capacity", "allocatable"}) {
    canonicalize_quantities(json::find(object, {"status", list}));
  }
  Value* spec = object.if_contains("spec");
  if (spec == nullptr || !spec->is_object()) return;
  const std::string one = json::text_at(spec->get_object(), {"podCIDR"});
  const auto all = texts_at(spec->get_object(), {"podCIDRs"});
  if (!one.empty() && all.empty()) spec->get_object()["podCIDRs"] = Array{Value(one)};
  if (one.empty() && !all.empty()) spec->get_object()["podCIDR"] = all.front();
}

// Kubernetes looks for them under metadata, and tools have learned that path.
FieldErrors check_taints(const Object& object) {
  FieldErrors errors;
  const Array& taints = array_at(object, {"spec", "taints"});
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    if (!taints[i].is_object()) continue;
    const Object& taint = taints[i].get_object();
    const std::string path = json::index_path("metadata.taints", i);
    const std::string key = json::text_at(taint, {"key"});
    const std::string value = json::text_at(taint, {"value"});
    append(errors, invalid_because(path + ".key", key, kube::validate_qualified_name(key)));
    if (const auto problems = kube::validate_label_value(value); !problems.empty()) {
      errors.push_back(FieldError::invalid(path + ".value", Value(value), join(problems, ";")));
    }
    if (!seen.emplace(json::text_at(taint, {"effect"}), key).second) {
      FieldError error = FieldError::duplicate(path, Value(taint));
      error.detail = "taints must be unique by key and effect pair";
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

FieldErrors check_pod_networks(const Object& object) {
  FieldErrors errors;
  const auto networks = texts_at(object, {"spec", "podCIDRs"});
  const std::string one = json::text_at(object, {"spec", "podCIDR"});
  std::set<std::string> seen;
  std::size_t ipv4 = 0;
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const std::string path = json::index_path("spec.podCIDRs", i);
    append(errors, check_cidr(path, networks[i]));
    if (!seen.insert(networks[i]).second) errors.push_back(FieldError::duplicate(path, Value(networks[i])));
    ipv4 += networks[i].find(':') == std::string::npos ? 1 : 0;
  }
  if (networks.size() > 1 && (networks.size() > 2 || ipv4 != 1)) {
    errors.push_back(FieldError::invalid("spec.podCIDRs", Value(to_array(networks)),
                                         "may specify no more than one CIDR for each IP family"));
  }
  if (!networks.empty() && one != networks.front()) {
    errors.push_back(
        FieldError::invalid("spec.podCIDRs", Value(to_array(networks)), "first value must match `podCIDR`"));
  }
  return errors;
}

FieldErrors validate_node(const Object& object) {
  FieldErrors errors = check_taints(object);
  append(errors, check_pod_networks(object));
  for (const std::string_view list : {"capacity", "allocatable"}) {
    for (const auto& [name, quantity] : object_at(object, {"status", list})) {
      append(errors, check_quantity(quantity, fmt::format("status.{}.{}", list, std::string_view(name))));
    }
  }
  return errors;
}

FieldErrors validate_node_update(const Object& before, const Object& object) {
  FieldErrors errors;
  if (!array_at(before, {"spec", "podCIDRs"}).empty() && !is_same(before, object, {"spec", "podCIDRs"})) {
    errors.push_back(FieldError::forbidden("spec.podCIDRs",
                                           "node updates may not change podCIDR except from \"\" to valid"));
  }
  if (!json::text_at(before, {"spec", "providerID"}).empty() &&
      !is_same(before, object, {"spec", "providerID"})) {
    errors.push_back(FieldError::forbidden(
        "spec.providerID", "node updates may not change providerID except from \"\" to valid"));
  }
  if (json::text_at(before, {"spec", "externalID"}) != json::text_at(object, {"spec", "externalID"})) {
    errors.push_back(FieldError::forbidden("spec.externalID", "may not be updated"));
  }
  return errors;
}

FieldErrors validate_lease(const Object& object) {
  FieldErrors errors = check_not_negative(object_at(object, {"spec"}), "leaseTransitions", "spec");
  if (const auto seconds = json::get_int(object, {"spec", "leaseDurationSeconds"});
      seconds && *seconds <= 0) {
    errors.push_back(
        FieldError::invalid("spec.leaseDurationSeconds", Value(*seconds), "must be greater than 0"));
  }
  const std::string strategy = json::text_at(object, {"spec", "strategy"});
  if (!strategy.empty()) {
    append(errors, invalid_because("spec.strategy", strategy, kube::validate_qualified_name(strategy)));
  } else if (const std::string holder = json::text_at(object, {"spec", "preferredHolder"}); !holder.empty()) {
    errors.push_back(FieldError::invalid("spec.preferredHolder", Value(holder),
                                         "may only be specified when `strategy` is defined"));
  }
  return errors;
}

}  // namespace

const KindRules& namespace_rules() {
  static const KindRules kRules{.name_problems = label_name,
                                .default_fields = default_namespace,
                                .prepare_create = prepare_namespace_create,
                                .prepare_update = prepare_namespace_update,
                                .validate = validate_namespace,
                                .validate_update = validate_namespace_update};
  return kRules;
}

const KindRules& node_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .is_born_with_status = true,
                                .default_fields = default_node,
                                .validate = validate_node,
                                .validate_update = validate_node_update};
  return kRules;
}

const KindRules& lease_rules() {
  static const KindRules kRules{
      .name_problems = subdomain_name, .needs_resource_version = true, .validate = validate_lease};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
