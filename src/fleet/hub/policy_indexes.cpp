#include "fleet/hub/policy_indexes.hpp"

#include <algorithm>

#include "fleet/hub/placement_decide.hpp"

namespace fairway::fleet {
namespace {

bool has_text(const json::Value& value, std::string_view part) {
  if (value.is_string()) return json::view(value.get_string()).find(part) != std::string_view::npos;
  if (value.is_array())
    return std::ranges::any_of(value.get_array(),
                               [&](const json::Value& each) { return has_text(each, part); });
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.get_object(), [&](const auto& each) {
    return std::string_view(each.key()).find(part) != std::string_view::npos || has_text(each.value(), part);
  });
}

}  // namespace

std::string index_value(std::string_view kind, const kube::ObjectKey& key) {
  return std::string(kind) + " " + key.namespace_ + "/" + key.name;
}

std::pair<std::string, kube::ObjectKey> read_value(std::string_view value) {
  const std::size_t blank = value.find(' ');
  const std::size_t slash = value.find('/', blank);
  return {std::string(value.substr(0, blank)),
          {std::string(value.substr(blank + 1, slash - blank - 1)), std::string(value.substr(slash + 1))}};
}

std::vector<std::string> subject_values(const json::Object& binding) {
  std::vector<std::string> values;
  const json::Array* subjects = json::get_array(binding, {"subjects"});
  if (subjects == nullptr) return values;
  const std::string ns(kube::namespace_of(binding));
  for (const json::Value& each : *subjects) {
    if (!each.is_object()) continue;
    const auto kind = json::get_string(each.get_object(), {"kind"});
    const auto name = json::get_string(each.get_object(), {"name"});
    if (kind && name) values.push_back(index_value(*kind, {ns, std::string(*name)}));
  }
  return values;
}

std::vector<std::string> reference_values(const json::Object& binding) {
  const auto kind = json::get_string(binding, {"placementRef", "kind"});
  const auto name = json::get_string(binding, {"placementRef", "name"});
  if (!kind || !name) return {};
  return {index_value(*kind, {std::string(kube::namespace_of(binding)), std::string(*name)})};
}

std::vector<std::string> member_values(const json::Object& set) {
  std::vector<std::string> values;
  const json::Array* policies = json::get_array(set, {"spec", "policies"});
  if (policies == nullptr) return values;
  const std::string ns(kube::namespace_of(set));
  for (const json::Value& each : *policies) {
    if (each.is_string())
      values.push_back(index_value("Policy", {ns, std::string(json::view(each.get_string()))}));
  }
  return values;
}

std::vector<std::string> decision_values(const json::Object& decision) {
  return {index_value("Placement", {std::string(kube::namespace_of(decision)), placement_of(decision)})};
}

bool has_hub_templates(const json::Object& policy) {
  const json::Value* templates = json::find(policy, {"spec", "policy-templates"});
  return templates != nullptr && has_text(*templates, "{{hub");
}

}  // namespace fairway::fleet
