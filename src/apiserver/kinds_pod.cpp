#include "apiserver/kinds_pod.hpp"

#include <algorithm>

#include "apiserver/kinds_table.hpp"
#include "kube/core/quantity.hpp"

namespace fairway::apiserver::kinds {
namespace {

using kube::Quantity;

// Always for the tag latest, which is also the tag of an image without tag and digest.
std::string_view pull_policy(std::string_view image) {
  const auto slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  if (last.empty()) return "IfNotPresent";
  const auto digest = last.find('@');
  const std::string_view named = last.substr(0, digest);
  const auto colon = named.find(':');
  if (colon != std::string_view::npos) return named.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
  return digest == std::string_view::npos ? "Always" : "IfNotPresent";
}

template <class F>
void change_each(Object& object, json::Path path, F&& change) {
  Array* array = find_array(object, path);
  if (array == nullptr) return;
  for (Value& value : *array) {
    if (value.is_object()) change(value.get_object());
  }
}

void canonicalize_requirements(Object& object) {
  canonicalize_quantities(json::find(object, {"resources", "limits"}));
  canonicalize_quantities(json::find(object, {"resources", "requests"}));
}

void default_container(Object& container) {
  if (json::text_at(container, {"imagePullPolicy"}).empty()) {
    container["imagePullPolicy"] = pull_policy(json::text_at(container, {"image"}));
  }
  canonicalize_requirements(container);
  change_each(container, {"env"}, [](Object& variable) {
    canonicalize_quantity(json::find(variable, {"valueFrom", "resourceFieldRef", "divisor"}));
  });
}

// Names in which a volume says something else than where it comes from.
bool has_source(const Object& volume) {
  return std::ranges::any_of(volume, [](const auto& member) { return member.key() != "name"; });
}

void default_downward_items(Object& source) {
  change_each(source, {"items"},
              [](Object& item) { canonicalize_quantity(json::find(item, {"resourceFieldRef", "divisor"})); });
}

void default_volume(Object& volume) {
  if (!has_source(volume)) volume["emptyDir"] = Object{};
  canonicalize_quantity(json::find(volume, {"emptyDir", "sizeLimit"}));
  if (Value* image = volume.if_contains("image"); image != nullptr && image->is_object()) {
    Object& source = image->get_object();
    if (json::text_at(source, {"pullPolicy"}).empty())
      source["pullPolicy"] = pull_policy(json::text_at(source, {"reference"}));
  }
  if (Value* downward = volume.if_contains("downwardAPI"); downward != nullptr && downward->is_object()) {
    default_downward_items(downward->get_object());
  }
  change_each(volume, {"projected", "sources"}, [](Object& source) {
    Value* downward = source.if_contains("downwardAPI");
    if (downward != nullptr && downward->is_object()) default_downward_items(downward->get_object());
  });
  if (Value* claim = json::find(volume, {"ephemeral", "volumeClaimTemplate", "spec"});
      claim && claim->is_object()) {
    canonicalize_requirements(claim->get_object());
  }
}

void default_account(Object& spec) {
  std::string name = json::text_at(spec, {"serviceAccountName"});
  if (name.empty()) name = json::text_at(spec, {"serviceAccount"});
  if (name.empty()) return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}

// On the host's network a port is the host's own.
void default_host_ports(Object& spec) {
  if (!json::get_bool(spec, {"hostNetwork"}).value_or(false)) return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    change_each(spec, {list}, [](Object& container) {
      change_each(container, {"ports"}, [](Object& port) {
        const Value* number = port.if_contains("containerPort");
        if (number != nullptr && json::get_int(port, {"hostPort"}).value_or(0) == 0)
          port["hostPort"] = Value(*number);
      });
    });
  }
}

void default_pod_status(Object& pod) {
  for (const std::string_view list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    change_each(pod, {"status", list}, [](Object& status) {
      canonicalize_quantities(status.if_contains("allocatedResources"));
      canonicalize_requirements(status);
    });
  }
}

void default_pod(Object& pod) {
  default_pod_status(pod);
  Value* found = pod.if_contains("spec");
  if (found == nullptr || !found->is_object()) return;
  Object& spec = found->get_object();
  default_pod_spec(spec);
  default_pod_requests(spec);
  default_host_ports(spec);
  if (!spec.contains("enableServiceLinks")) spec["enableServiceLinks"] = true;
}

FieldErrors prepare_pod_create(Object& pod, const KindContext&) {
  const Object& spec = object_at(pod, {"spec"});
  FieldErrors errors;
  if (!array_at(spec, {"ephemeralContainers"}).empty()) {
    errors.push_back(FieldError::forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if (!json::text_at(spec, {"nodeName"}).empty() && !array_at(spec, {"schedulingGates"}).empty()) {
    errors.push_back(
        FieldError::forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  }
  pod["status"] = Object{{"phase", "Pending"}, {"qosClass", qos_class(spec)}};
  return errors;
}

FieldErrors validate_pod(const Object& pod) {
  return validate_pod_spec(pod, "spec");
}

struct ComputeResources {
  std::optional<Quantity> cpu;
  std::optional<Quantity> memory;

  static ComputeResources from(const Object& list) {
    const auto read = [&](std::string_view name) -> std::optional<Quantity> {
      const Value* value = list.if_contains(name);
      if (value == nullptr) return std::nullopt;
      const auto parsed = json::Codec<Quantity>::read(*value);
      if (!parsed || !(*parsed > Quantity())) return std::nullopt;
      return *parsed;
    };
    return {read("cpu"), read("memory")};
  }
  bool is_empty() const { return !cpu && !memory; }
  bool is_complete() const { return cpu && memory; }
  bool operator==(const ComputeResources&) const = default;
};

}  // namespace

void default_pod_spec(Object& spec) {
  for (const std::string_view list : kContainerLists) change_each(spec, {list}, default_container);
  change_each(spec, {"volumes"}, default_volume);
  canonicalize_requirements(spec);
  canonicalize_quantities(spec.if_contains("overhead"));
  default_account(spec);
}

// A limit without a request is also the request. So it is for pods, not for templates of pods.
void default_pod_requests(Object& spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    change_each(spec, {list}, [](Object& container) {
      const Object limits = object_at(container, {"resources", "limits"});
      if (limits.empty()) return;
      Object& requests = json::ensure_object(container, {"resources", "requests"});
      for (const auto& [name, quantity] : limits) {
        if (!requests.contains(name)) requests[name] = quantity;
      }
    });
  }
}

std::string qos_class(const Object& spec) {
  const auto shared_limits = ComputeResources::from(object_at(spec, {"resources", "limits"}));
  const auto shared_requests = ComputeResources::from(object_at(spec, {"resources", "requests"}));
  if (!shared_limits.is_empty() || !shared_requests.is_empty()) {
    return shared_limits.is_complete() && shared_limits == shared_requests ? "Guaranteed" : "Burstable";
  }
  bool is_best_effort = true;
  bool is_guaranteed = true;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for_each_container(spec, list, "", [&](const Object& container, const std::string&) {
      const auto limits = ComputeResources::from(object_at(container, {"resources", "limits"}));
      const auto requests = ComputeResources::from(object_at(container, {"resources", "requests"}));
      is_best_effort = is_best_effort && limits.is_empty() && requests.is_empty();
      // Validation keeps requests within limits: sums are equal only where all their parts are.
      is_guaranteed = is_guaranteed && limits.is_complete() && limits == requests;
    });
  }
  return is_best_effort ? "BestEffort" : is_guaranteed ? "Guaranteed" : "Burstable";
}

const KindRules& pod_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .default_fields = default_pod,
                                .prepare_create = prepare_pod_create,
                                .validate = validate_pod,
                                .validate_update = validate_pod_update};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
