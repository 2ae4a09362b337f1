// What pods and the templates of pods have in common. Internal to kinds.
#pragma once

#include <array>

#include "apiserver/kinds_support.hpp"

namespace fairway::apiserver::kinds {

// The three lists of containers in a spec.
inline constexpr std::array<std::string_view, 3> kContainerLists{"initContainers", "containers",
                                                                 "ephemeralContainers"};

// Defaults that hold for pods and templates alike; a pod has more.
void default_pod_spec(Object& spec);
void default_pod_requests(Object& spec);

// Of the `spec` in a pod or template; `path` is that of the spec.
FieldErrors validate_pod_spec(const Object& holder, const std::string& path);
FieldErrors validate_containers(const Object& spec, const std::string& path);
FieldErrors validate_pod_template(const Object& pod_template, const std::string& path);
FieldErrors validate_resources(const Object& resources, const std::string& path);

FieldErrors validate_pod_update(const Object& before, const Object& pod);

// Guaranteed, Burstable or BestEffort.
std::string qos_class(const Object& spec);

// The containers of a list, with their paths.
template <class F>
void for_each_container(const Object& spec, std::string_view list, const std::string& path, F&& visit) {
  const Array& containers = array_at(spec, {list});
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].is_object()) {
      visit(containers[i].get_object(), json::index_path(json::child_path(path, list), i));
    }
  }
}

}  // namespace fairway::apiserver::kinds
