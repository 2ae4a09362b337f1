#include "fleet/propagator_child.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/policies.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kPrefix = "policy.open-cluster-management.io/";
constexpr std::string_view kTriggerUpdate = "policy.open-cluster-management.io/trigger-update";

json::Object copied_metadata(const json::Object& root, std::string_view part) {
  const bool copies_all = json::get_bool(root, {"spec", "copyPolicyMetadata"}).value_or(true);
  json::Object out;
  const json::Object* found = json::get_object(root, {"metadata", part});
  if (found == nullptr) return out;
  for (const auto& each : *found) {
    const std::string_view key(each.key().data(), each.key().size());
    if ((copies_all || key.starts_with(kPrefix)) && key != kTriggerUpdate) out[each.key()] = each.value();
  }
  return out;
}

// In a cluster's namespace a policy is known by its child's name, and a set is not known at all.
json::Array rewritten(const json::Array& dependencies, const PolicyBindings& seen) {
  const std::string own(kube::namespace_of(*seen.root));
  json::Array out;
  for (const json::Value& each : dependencies) {
    const std::string kind = each.is_object() ? json::text_at(each.get_object(), {"kind"}) : "";
    const bool is_ours =
        each.is_object() && json::text_at(each.get_object(), {"apiVersion"}).starts_with(kPrefix);
    if (!is_ours || (kind != "Policy" && kind != "PolicySet")) {
      out.push_back(each);
      continue;
    }
    const std::string given = json::text_at(each.get_object(), {"namespace"});
    const std::string& ns = given.empty() ? own : given;
    const std::string name = json::text_at(each.get_object(), {"name"});
    const auto names = kind == "Policy" ? std::vector<std::string>{name} : policies_of_set(seen, name);
    for (const std::string& policy : names) {
      json::Object made = each.get_object();
      made["kind"] = "Policy";
      made["name"] = fmt::format("{}.{}", ns, policy);
      made["namespace"] = "";
      out.push_back(std::move(made));
    }
  }
  return out;
}

void rewrite_dependencies(json::Object& spec, const PolicyBindings& seen) {
  if (const json::Array* found = json::get_array(spec, {"dependencies"}))
    spec["dependencies"] = rewritten(*found, seen);
  json::Value* templates = json::find(spec, {"policy-templates"});
  if (templates == nullptr || !templates->is_array()) return;
  for (json::Value& each : templates->get_array()) {
    if (!each.is_object()) continue;
    if (const json::Array* found = json::get_array(each.get_object(), {"extraDependencies"}))
      each.get_object()["extraDependencies"] = rewritten(*found, seen);
  }
}

}  // namespace

std::string child_name(const json::Object& root) {
  return fmt::format("{}.{}", kube::namespace_of(root), kube::name_of(root));
}

json::Object desired_child(const PolicyBindings& seen, std::string_view cluster,
                           std::string_view override_text) {
  const json::Object& root = *seen.root;
  json::Object labels = copied_metadata(root, "labels");
  labels[kRootLabel] = child_name(root);
  labels[kClusterNameLabel] = cluster;
  labels[kClusterNamespaceLabel] = cluster;
  json::Object annotations = copied_metadata(root, "annotations");
  annotations["argocd.argoproj.io/compare-options"] = "IgnoreExtraneous";
  const json::Object* found = json::get_object(root, {"spec"});
  json::Object spec = found == nullptr ? json::Object() : *found;
  if (!override_text.empty() && !equals_ignoring_case(json::text_at(spec, {"remediationAction"}), "enforce"))
    spec["remediationAction"] = override_text;
  rewrite_dependencies(spec, seen);
  json::Object metadata{{"name", child_name(root)},
                        {"namespace", cluster},
                        {"labels", std::move(labels)},
                        {"annotations", std::move(annotations)}};
  return json::Object{{"apiVersion", "policy.open-cluster-management.io/v1"},
                      {"kind", "Policy"},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}};
}

json::Object corrected_child(const json::Object& have, const json::Object& want) {
  json::Object next = have;
  json::Object& metadata = json::ensure_object(next, {"metadata"});
  for (const std::string_view part : {"labels", "annotations"})
    metadata[part] = *json::find(want, {"metadata", part});
  next["spec"] = want.at("spec");
  return json::same_value(have, next) ? json::Object() : next;
}

std::string_view compliance_of_child(const json::Object& child) {
  const auto text = json::get_string(child, {"status", "compliant"});
  if (!text || text->empty()) return "";
  const Compliance compliance = compliance_of(*text);
  const auto observed = json::get_int(child, {"status", "observedGeneration"});
  const bool is_old = observed && *observed < kube::generation_of(child);
  if (compliance == Compliance::Compliant && is_old) return "";
  return to_string(compliance);
}

}  // namespace fairway::fleet
