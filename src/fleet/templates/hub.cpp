#include "fleet/templates/hub.hpp"

#include <fmt/format.h>

namespace fairway::fleet::templates {
namespace {

json::Object part_of(const json::Object& object, json::Path path) {
  const json::Object* found = json::get_object(object, path);
  return found == nullptr ? json::Object() : *found;
}

bool is_disabled(const json::Object& object) {
  return json::get_string(object, {"metadata", "annotations", kDisableTemplates}) == "true";
}

json::Object context_of(const HubFacts& facts) {
  json::Object metadata{{"name", json::text_at(facts.root, {"metadata", "name"})},
                        {"namespace", json::text_at(facts.root, {"metadata", "namespace"})},
                        {"labels", part_of(facts.root, {"metadata", "labels"})},
                        {"annotations", part_of(facts.root, {"metadata", "annotations"})}};
  return {{"ManagedClusterName", facts.cluster},
          {"ManagedClusterLabels", facts.cluster_labels},
          {"PolicyMetadata", std::move(metadata)}};
}

Settings settings_for(const HubFacts& facts, const Answers& answers, const Limits& limits) {
  Settings settings{.side = Side::Hub,
                    .context = context_of(facts),
                    .answers = &answers,
                    .encrypt = facts.encrypt,
                    .limits = limits};
  if (!json::text_at(facts.root, {"spec", "hubTemplateOptions", "serviceAccountName"}).empty())
    return settings;
  settings.only_namespace = json::text_at(facts.root, {"metadata", "namespace"});
  settings.only_cluster = facts.cluster;
  return settings;
}

}  // namespace

bool has_hub_templates(const json::Object& child) {
  const json::Value* templates = json::find(child, {"spec", "policy-templates"});
  return templates != nullptr && !is_disabled(child) && has_templates(*templates, Side::Hub);
}

HubResolution resolve_hub_templates(const json::Object& child, const HubFacts& facts, const Answers& answers,
                                    const Limits& limits) {
  HubResolution made{.child = child};
  if (!has_hub_templates(child)) return made;
  const Settings settings = settings_for(facts, answers, limits);
  std::set<Lookup> missing;
  for (json::Value& each : json::find(made.child, {"spec", "policy-templates"})->as_array()) {
    json::Value* definition = each.is_object() ? each.get_object().if_contains("objectDefinition") : nullptr;
    if (definition == nullptr || !definition->is_object() || is_disabled(definition->get_object())) continue;
    if (!has_templates(*definition, Side::Hub)) continue;
    auto found = resolve(*definition, settings);
    if (!found) {
      const std::string name = json::text_at(definition->get_object(), {"metadata", "name"});
      made.errors.push_back(fmt::format("{}: {}", name, found.error().describe()));
      json::ensure_object(definition->get_object(), {"metadata", "annotations"})[kHubTemplatesError] =
          found.error().describe();
      continue;
    }
    made.asked.insert(found->asked.begin(), found->asked.end());
    missing.insert(found->missing.begin(), found->missing.end());
    made.misses_key |= found->misses_key;
    made.has_encrypted |= found->has_encrypted;
    if (found->missing.empty() && !found->misses_key) *definition = std::move(found->value);
  }
  made.missing.assign(missing.begin(), missing.end());
  return made;
}

}  // namespace fairway::fleet::templates
