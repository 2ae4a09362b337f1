#include "fleet/works.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "fleet/placements.hpp"

namespace fairway::fleet {
namespace {

struct ExpectedValue {
  std::int64_t manifest_index = 0;
  std::string name = {};
  std::string value = {};
};
BOOST_DESCRIBE_STRUCT(ExpectedValue, (), (manifest_index, name, value))

bool are_true(const json::Object& object, std::initializer_list<std::string_view> types) {
  const json::Array* conditions = json::get_array(object, {"conditions"});
  if (conditions == nullptr) return false;
  return std::ranges::all_of(types, [&](std::string_view type) {
    return std::ranges::any_of(*conditions, [&](const json::Value& each) {
      const json::Object* condition = each.if_object();
      return condition != nullptr && json::get_string(*condition, {"type"}) == type &&
             json::get_string(*condition, {"status"}) == std::string_view("True");
    });
  });
}

const json::Object* manifest_at(const json::Object& work, std::int64_t ordinal) {
  const json::Array* manifests = json::get_array(work, {"status", "resourceStatus", "manifests"});
  if (manifests == nullptr) return nullptr;
  for (const json::Value& each : *manifests) {
    const json::Object* manifest = each.if_object();
    if (manifest != nullptr && json::get_int(*manifest, {"resourceMeta", "ordinal"}).value_or(0) == ordinal)
      return manifest;
  }
  return nullptr;
}

// As text, whatever its type.
std::string feedback(const json::Object& manifest, std::string_view name) {
  const json::Array* values = json::get_array(manifest, {"statusFeedback", "values"});
  if (values == nullptr) return {};
  for (const json::Value& each : *values) {
    const json::Object* value = each.if_object();
    if (value == nullptr || json::get_string(*value, {"name"}) != name) continue;
    for (const char* type : {"string", "boolean", "integer", "jsonRaw"}) {
      const json::Value* found = json::find(*value, {"fieldValue", type});
      if (found == nullptr) continue;
      return found->is_string() ? std::string(json::view(found->get_string())) : json::serialize(*found);
    }
  }
  return {};
}

}  // namespace

bool rolls_works(const ClusterGroupUpgradeSpec& spec) {
  return !spec.manifest_work_templates.empty();
}

std::string work_name(const ClusterGroupUpgrade& rollout, std::string_view template_name) {
  const std::string desired = fmt::format("{}.{}", rollout.metadata.namespace_, template_name);
  const std::string key = "/" + desired;
  const auto& known = rollout.status.safe_resource_names;
  if (const auto found = known.find(key); found != known.end()) return found->second;
  return safe_name(desired, name_suffix(rollout, key), "");
}

json::Object desired_work(const ClusterGroupUpgrade& rollout, const json::Object& work_template,
                          std::string_view cluster) {
  json::Object metadata{{"name", work_name(rollout, kube::name_of(work_template))}, {"namespace", cluster}};
  metadata["labels"] = json::Object{{kRolloutLabel, rollout.metadata.name},
                                    {kRolloutNamespaceLabel, rollout.metadata.namespace_}};
  if (const auto expected = kube::annotation(work_template, kExpectedValues))
    metadata["annotations"] = json::Object{{kExpectedValues, *expected}};
  json::Object work{{"apiVersion", "work.open-cluster-management.io/v1"}, {"kind", kWorkKind}};
  work["metadata"] = std::move(metadata);
  const json::Object* spec = json::get_object(work_template, {"spec", "manifestWorkTemplate"});
  work["spec"] = spec == nullptr ? json::Object() : *spec;
  return work;
}

bool is_through(const json::Object& work) {
  const json::Object* status = json::get_object(work, {"status"});
  if (status == nullptr || !are_true(*status, {"Applied", "Available"})) return false;
  const auto expected = kube::annotation(work, kExpectedValues);
  if (!expected || expected->empty()) return true;
  const auto parsed = json::parse(*expected);
  if (!parsed) return false;
  const auto values = json::from_json<std::vector<ExpectedValue>>(*parsed);
  if (!values) return false;
  return std::ranges::all_of(*values, [&](const ExpectedValue& each) {
    const json::Object* manifest = manifest_at(work, each.manifest_index);
    return manifest != nullptr && are_true(*manifest, {"Applied", "Available", "StatusFeedbackSynced"}) &&
           feedback(*manifest, each.name) == each.value;
  });
}

std::vector<std::string> missing_templates(const ClusterGroupUpgradeSpec& spec,
                                           const WorkTemplates& templates) {
  std::vector<std::string> missing;
  for (const std::string& each : spec.manifest_work_templates) {
    if (!templates.contains(each)) missing.push_back(each);
  }
  return missing;
}

}  // namespace fairway::fleet
