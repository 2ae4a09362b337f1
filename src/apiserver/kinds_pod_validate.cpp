#include <array>
#include <fmt/format.h>
#include <set>

#include "apiserver/kinds_pod.hpp"
#include "base/text.hpp"
#include "kube/core/quantity.hpp"

namespace fairway::apiserver::kinds {
namespace {

using kube::Quantity;

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kNotStandard = "must be a standard resource type or fully qualified";
constexpr std::string_view kNotForContainers = "must be a standard resource for containers";

bool is_standard_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kStandard{"cpu",           "memory",          "ephemeral-storage",
                                                      "requests.cpu",  "requests.memory", "limits.cpu",
                                                      "limits.memory", "storage"};
  return name.starts_with(kHugePages) || std::ranges::find(kStandard, name) != kStandard.end();
}

bool is_container_name(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with(kHugePages);
}

// Huge pages and what a vendor defines are given as asked for, or not at all.
bool may_be_overcommitted(std::string_view name) {
  if (name.starts_with(kHugePages)) return false;
  return name.find('/') == std::string_view::npos || name.starts_with("kubernetes.io/");
}

FieldErrors check_resource_name(std::string_view name, const std::string& path) {
  FieldErrors errors = invalid_because(path, name, kube::validate_qualified_name(name));
  if (!errors.empty() || name.find('/') != std::string_view::npos) return errors;
  if (!is_standard_name(name)) return {FieldError::invalid(path, Value(name), std::string(kNotStandard))};
  if (!is_container_name(name))
    return {FieldError::invalid(path, Value(name), std::string(kNotForContainers))};
  return errors;
}

FieldErrors check_request(std::string_view name, const Quantity& request, const Value* limit,
                          const std::string& path) {
  if (limit == nullptr) {
    if (may_be_overcommitted(name)) return {};
    return {FieldError::required(path + ".limits", "Limit must be set for non overcommitable resources")};
  }
  const auto most = json::Codec<Quantity>::read(*limit);
  if (!most || request == *most || (request < *most && may_be_overcommitted(name))) return {};
  return {FieldError::invalid(path + ".requests", Value(request.to_string()),
                              fmt::format("must be {} {} limit of {}",
                                          may_be_overcommitted(name) ? "less than or equal to" : "equal to",
                                          name, most->to_string()))};
}

FieldErrors check_volumes(const Object& spec, const std::string& path, std::set<std::string>& names) {
  FieldErrors errors;
  const Array& volumes = array_at(spec, {"volumes"});
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (!volumes[i].is_object()) continue;
    const Object& volume = volumes[i].get_object();
    const std::string place = json::index_path(path + ".volumes", i);
    const std::string name = json::text_at(volume, {"name"});
    append(errors, check_not_empty(volume, "name", place));
    if (!name.empty()) {
      append(errors, invalid_because(place + ".name", name, kube::validate_dns1123_label(name)));
      if (!names.insert(name).second) errors.push_back(FieldError::duplicate(place + ".name", Value(name)));
    }
    std::size_t sources = 0;
    for (const auto& [key, value] : volume) {
      if (key == "name" || ++sources < 2) continue;
      errors.push_back(
          FieldError::forbidden(json::child_path(place, key), "may not specify more than 1 volume type"));
    }
  }
  return errors;
}

FieldErrors check_toleration(const Object& toleration, const std::string& path) {
  FieldErrors errors;
  const std::string key = json::text_at(toleration, {"key"});
  const std::string op = json::text_at(toleration, {"operator"});
  const std::string value = json::text_at(toleration, {"value"});
  if (!key.empty()) append(errors, invalid_because(path + ".key", key, kube::validate_qualified_name(key)));
  if (key.empty() && op != "Exists") {
    errors.push_back(FieldError::invalid(
        path + ".operator", Value(op),
        "operator must be Exists when `key` is empty, which means \"match all values and all keys\""));
  }
  if (toleration.contains("tolerationSeconds") && json::text_at(toleration, {"effect"}) != "NoExecute") {
    errors.push_back(FieldError::invalid(path + ".effect", Value(json::text_at(toleration, {"effect"})),
                                         "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (op == "Exists" && !value.empty()) {
    errors.push_back(FieldError::invalid(path + ".operator", Value(toleration),
                                         "value must be empty when `operator` is 'Exists'"));
  } else if (op.empty() || op == "Equal") {
    if (const auto problems = kube::validate_label_value(value); !problems.empty()) {
      errors.push_back(FieldError::invalid(path + ".operator", Value(value), join(problems, ";")));
    }
  } else if (op != "Exists") {
    const std::array<std::string, 2> known{"Equal", "Exists"};
    errors.push_back(FieldError::not_supported(path + ".operator", Value(op), known));
  }
  return errors;
}

// Names of other things, each by the rule of what it names.
FieldErrors check_names(const Object& spec, const std::string& path) {
  FieldErrors errors;
  struct Rule {
    std::string_view field;
    kube::Problems (*check)(std::string_view);
  };
  constexpr std::array<Rule, 6> kRules{{{"serviceAccountName", kube::validate_dns1123_subdomain},
                                        {"nodeName", kube::validate_dns1123_subdomain},
                                        {"hostname", kube::validate_dns1123_label},
                                        {"subdomain", kube::validate_dns1123_label},
                                        {"priorityClassName", kube::validate_dns1123_subdomain},
                                        {"runtimeClassName", kube::validate_dns1123_subdomain}}};
  for (const Rule& rule : kRules) {
    const std::string name = json::text_at(spec, {rule.field});
    if (!name.empty())
      append(errors, invalid_because(json::child_path(path, rule.field), name, rule.check(name)));
  }
  append(errors, kube::validate_labels(labels_at(spec, {"nodeSelector"}), path + ".nodeSelector"));
  return errors;
}

FieldErrors check_mounts(const Object& container, const std::string& path,
                         const std::set<std::string>& volumes) {
  FieldErrors errors;
  std::set<std::string> places;
  const Array& mounts = array_at(container, {"volumeMounts"});
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    if (!mounts[i].is_object()) continue;
    const std::string place = json::index_path(path + ".volumeMounts", i);
    const std::string name = json::text_at(mounts[i].get_object(), {"name"});
    const std::string target = json::text_at(mounts[i].get_object(), {"mountPath"});
    append(errors, check_not_empty(mounts[i].get_object(), "name", place));
    append(errors, check_not_empty(mounts[i].get_object(), "mountPath", place));
    if (!name.empty() && !volumes.contains(name)) {
      errors.push_back({FieldError::Type::NotFound, place + ".name", Value(name), ""});
    }
    if (!target.empty() && !places.insert(target).second) {
      errors.push_back(FieldError::invalid(place + ".mountPath", Value(target), "must be unique"));
    }
  }
  return errors;
}

}  // namespace

FieldErrors validate_resources(const Object& resources, const std::string& path) {
  FieldErrors errors;
  const Object& limits = object_at(resources, {"limits"});
  for (const auto& [name, quantity] : limits) {
    const std::string place = json::key_path(path + ".limits", name);
    append(errors, check_resource_name(name, place));
    append(errors, check_quantity(quantity, place));
  }
  for (const auto& [name, quantity] : object_at(resources, {"requests"})) {
    const std::string place = json::key_path(path + ".requests", name);
    append(errors, check_resource_name(name, place));
    append(errors, check_quantity(quantity, place));
    if (const auto request = json::Codec<Quantity>::read(quantity)) {
      append(errors, check_request(name, *request, limits.if_contains(name), path));
    }
  }
  return errors;
}

FieldErrors validate_pod_spec(const Object& holder, const std::string& path) {
  const Object* found = json::get_object(holder, {"spec"});
  // Inside of a spec the schema asks for containers; it does not ask for the spec.
  if (found == nullptr) return {FieldError::required(path + ".containers")};
  const Object& spec = *found;
  std::set<std::string> volumes;
  FieldErrors errors = check_volumes(spec, path, volumes);
  append(errors, validate_containers(spec, path));
  for (const std::string_view list : kContainerLists) {
    for_each_container(spec, list, path, [&](const Object& container, const std::string& place) {
      append(errors, check_mounts(container, place, volumes));
    });
  }
  append(errors, check_names(spec, path));
  const Array& tolerations = array_at(spec, {"tolerations"});
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    if (!tolerations[i].is_object()) continue;
    append(errors, check_toleration(tolerations[i].get_object(), json::index_path(path + ".tolerations", i)));
  }
  return errors;
}

FieldErrors validate_pod_template(const Object& pod_template, const std::string& path) {
  FieldErrors errors =
      kube::validate_labels(labels_at(pod_template, {"metadata", "labels"}), path + ".labels");
  append(errors, kube::validate_annotations(labels_at(pod_template, {"metadata", "annotations"}),
                                            path + ".annotations"));
  append(errors, validate_pod_spec(pod_template, path + ".spec"));
  if (!array_at(pod_template, {"spec", "ephemeralContainers"}).empty()) {
    errors.push_back(FieldError::forbidden(path + ".spec.ephemeralContainers",
                                           "ephemeral containers not allowed in pod template"));
  }
  return errors;
}

}  // namespace fairway::apiserver::kinds
