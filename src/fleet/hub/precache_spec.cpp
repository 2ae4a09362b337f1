#include "fleet/hub/precache_spec.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/policies.hpp"
#include "json/yaml.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

void add_once(std::vector<std::string>& texts, std::string text) {
  if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

struct Software {
  std::string platform = {};
  std::vector<std::string> indexes = {};
  std::vector<std::string> packages = {};

  void read_object(const json::Object& definition) {
    const std::string_view kind = kube::kind_of(definition);
    if (kind == "ClusterVersion") {
      if (auto image = json::text_at(definition, {"spec", "desiredUpdate", "image"}); !image.empty())
        platform = std::move(image);
    } else if (kind == "CatalogSource") {
      add_once(indexes, json::text_at(definition, {"spec", "image"}));
    } else if (kind == "Subscription") {
      const std::string package = json::text_at(definition, {"spec", "name"});
      if (!package.empty())
        add_once(packages, package + ":" + json::text_at(definition, {"spec", "channel"}));
    }
  }

  void read_objects(const json::Array& objects) {
    for (const json::Value& each : objects) {
      if (!each.is_object() ||
          equals_ignoring_case(json::text_at(each.get_object(), {"complianceType"}), "mustnothave"))
        continue;
      if (const json::Object* definition = json::get_object(each.get_object(), {"objectDefinition"}))
        read_object(*definition);
    }
  }

  void read_policy(const json::Object& policy) {
    const json::Array* templates = json::get_array(policy, {"spec", "policy-templates"});
    if (templates == nullptr) return;
    for (const json::Value& each : *templates) {
      if (!each.is_object()) continue;
      if (const json::Array* plain =
              json::get_array(each.get_object(), {"objectDefinition", "spec", "object-templates"}))
        read_objects(*plain);
      const auto raw =
          json::get_string(each.get_object(), {"objectDefinition", "spec", "object-templates-raw"});
      const auto parsed = raw ? json::parse_yaml(strip_templates(*raw)) : Result<json::Value>(json::Value());
      if (parsed && parsed->is_array()) read_objects(parsed->get_array());
    }
  }
};

std::vector<std::string> texts_at(const json::Object& object, json::Path path) {
  std::vector<std::string> out;
  const json::Array* found = json::get_array(object, path);
  if (found == nullptr) return out;
  for (const json::Value& each : *found) {
    if (each.is_string()) out.emplace_back(json::view(each.get_string()));
  }
  return out;
}

void put(json::Object& spec, std::string_view key, const std::vector<std::string>& texts) {
  if (!texts.empty()) spec[key] = json::Array(texts.begin(), texts.end());
}

// Values that replace those of the policies.
void override(Software& software, const json::Object& config) {
  if (auto image = json::text_at(config, {"spec", "overrides", "platformImage"}); !image.empty())
    software.platform = std::move(image);
  if (auto found = texts_at(config, {"spec", "overrides", "operatorsIndexes"}); !found.empty())
    software.indexes = std::move(found);
  if (auto found = texts_at(config, {"spec", "overrides", "operatorsPackagesAndChannels"}); !found.empty())
    software.packages = std::move(found);
}

std::string problem_of(const Software& software, bool has_images) {
  constexpr std::string_view kInconsistent = "inconsistent precaching configuration: ";
  if (!software.indexes.empty() && software.packages.empty())
    return fmt::format("{}olm index provided, but no packages", kInconsistent);
  if (software.platform.empty() && software.packages.empty() && !has_images)
    return fmt::format("{}no software spec provided", kInconsistent);
  return "";
}

}  // namespace

std::optional<RolloutReference> precaching_config_of(const ClusterGroupUpgrade& rollout) {
  const json::Object* named = json::get_object(rollout.spec.unknown, {"preCachingConfigRef"});
  const std::string name = named == nullptr ? "" : json::text_at(*named, {"name"});
  if (name.empty()) return std::nullopt;
  const std::string ns = json::text_at(*named, {"namespace"});
  return RolloutReference{.name = name, .namespace_ = ns.empty() ? rollout.metadata.namespace_ : ns};
}

PrecacheSpec precache_spec(const ClusterGroupUpgrade& rollout,
                           const std::vector<std::shared_ptr<const json::Object>>& policies,
                           const json::Object* config) {
  PrecacheSpec made;
  const auto named = precaching_config_of(rollout);
  if (named && config == nullptr) {
    made.problem =
        fmt::format("cannot get PreCachingConfig {}/{}: not found", named->namespace_, named->name);
    return made;
  }
  Software software;
  for (const auto& each : policies) software.read_policy(*each);
  std::vector<std::string> images;
  if (config != nullptr) {
    override(software, *config);
    images = texts_at(*config, {"spec", "additionalImages"});
    made.job_image = json::text_at(*config, {"spec", "overrides", "preCacheImage"});
    put(made.spec, "excludePrecachePatterns", texts_at(*config, {"spec", "excludePrecachePatterns"}));
    if (auto space = json::text_at(*config, {"spec", "spaceRequired"}); !space.empty())
      made.spec["spaceRequired"] = space;
  }
  if (!software.platform.empty()) made.spec["platformImage"] = software.platform;
  put(made.spec, "operatorsIndexes", software.indexes);
  put(made.spec, "operatorsPackagesAndChannels", software.packages);
  put(made.spec, "additionalImages", images);
  made.problem = problem_of(software, !images.empty());
  return made;
}

json::Object precache_config_map(const json::Object& spec) {
  const auto lines = [&](std::string_view key) {
    const auto texts = texts_at(spec, {key});
    return fmt::format("{}\n", join(texts, "\n"));
  };
  return json::Object{{"platform.image", json::text_at(spec, {"platformImage"})},
                      {"operators.indexes", lines("operatorsIndexes")},
                      {"operators.packagesAndChannels", lines("operatorsPackagesAndChannels")},
                      {"additionalImages.txt", lines("additionalImages")},
                      {"excludePrecachePatterns", lines("excludePrecachePatterns")},
                      {"spaceRequired", json::text_at(spec, {"spaceRequired"})}};
}

}  // namespace fairway::fleet
