// Containers of pods: names, images, ports, variables, probes, resources.
#include <array>
#include <fmt/format.h>
#include <set>

#include "apiserver/kinds_pod.hpp"
#include "base/text.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::array<std::string_view, 3> kProbes{"livenessProbe", "readinessProbe", "startupProbe"};

// Since 1.30 a variable may have any name of printable ASCII but "=".
kube::Problems validate_variable_name(std::string_view name) {
  const bool is_fine =
      !name.empty() && std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  if (is_fine) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other than '=' "
      "(e.g. "
      "'my-env',  or 'MY_ENV.NAME',  or 'MY_ENVNAME1', regex used for validation is '[ -<>-~]+')"};
}

FieldErrors check_variables(const Object& container, const std::string& path) {
  FieldErrors errors;
  const Array& variables = array_at(container, {"env"});
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].is_object()) continue;
    const Object& variable = variables[i].get_object();
    const std::string place = json::index_path(path + ".env", i);
    const std::string name = json::text_at(variable, {"name"});
    append(errors, check_not_empty(variable, "name", place));
    if (!name.empty()) append(errors, invalid_because(place + ".name", name, validate_variable_name(name)));
    const Object* source = json::get_object(variable, {"valueFrom"});
    if (source == nullptr) continue;
    if (!json::text_at(variable, {"value"}).empty()) {
      errors.push_back(FieldError::invalid(place + ".valueFrom", Value(""),
                                           "may not be specified when `value` is not empty"));
    }
    if (source->size() != 1) {
      errors.push_back(FieldError::invalid(
          place + ".valueFrom", Value(""),
          source->empty()
              ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
              : "may not have more than one field specified at a time"));
    }
  }
  return errors;
}

FieldErrors check_port(const Object& port, bool is_on_host, std::set<std::string>& names,
                       const std::string& path) {
  FieldErrors errors;
  if (const std::string name = json::text_at(port, {"name"}); !name.empty()) {
    if (auto wrong = invalid_because(path + ".name", name, kube::validate_port_name(name)); !wrong.empty()) {
      append(errors, std::move(wrong));
    } else if (!names.insert(name).second) {
      errors.push_back(FieldError::duplicate(path + ".name", Value(name)));
    }
  }
  const auto number = json::get_int(port, {"containerPort"}).value_or(0);
  append(errors, check_not_empty(port, "containerPort", path));
  if (number != 0) append(errors, check_port_number(path + ".containerPort", number));
  const auto host = json::get_int(port, {"hostPort"}).value_or(0);
  if (host != 0) append(errors, check_port_number(path + ".hostPort", host));
  if (host != 0 && is_on_host && host != number) {
    errors.push_back(FieldError::invalid(path + ".hostPort", Value(host),
                                         "must match `containerPort` when `hostNetwork` is true"));
  }
  return errors;
}

FieldErrors check_ports(const Object& container, bool is_on_host, const std::string& path) {
  FieldErrors errors;
  std::set<std::string> names;
  const Array& ports = array_at(container, {"ports"});
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!ports[i].is_object()) continue;
    append(errors,
           check_port(ports[i].get_object(), is_on_host, names, json::index_path(path + ".ports", i)));
  }
  return errors;
}

FieldErrors check_handler(const Object& handler, const std::string& path) {
  FieldErrors errors;
  std::size_t found = 0;
  for (const std::string_view type : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    if (!handler.contains(type) || ++found < 2) continue;
    errors.push_back(
        FieldError::forbidden(json::child_path(path, type), "may not specify more than 1 handler type"));
  }
  if (found == 0) errors.push_back(FieldError::required(path, "must specify a handler type"));
  return errors;
}

FieldErrors check_probes(const Object& container, const std::string& path) {
  FieldErrors errors;
  for (const std::string_view name : kProbes) {
    const Object* probe = json::get_object(container, {name});
    if (probe == nullptr) continue;
    const std::string place = json::child_path(path, name);
    append(errors, check_handler(*probe, place));
    const auto successes = json::get_int(*probe, {"successThreshold"}).value_or(1);
    if (name != "readinessProbe" && successes != 1) {
      errors.push_back(FieldError::invalid(place + ".successThreshold", Value(successes), "must be 1"));
    }
  }
  for (const std::string_view name : {"postStart", "preStop"}) {
    const Object* hook = json::get_object(container, {"lifecycle", name});
    if (hook != nullptr) append(errors, check_handler(*hook, json::child_path(path + ".lifecycle", name)));
  }
  return errors;
}

// A container that runs to its end before others start is neither probed nor hooked.
FieldErrors check_init_container(const Object& container, const std::string& path) {
  FieldErrors errors;
  const std::string policy = json::text_at(container, {"restartPolicy"});
  if (policy == "Always") return errors;
  for (const std::string_view field : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (!container.contains(field)) continue;
    errors.push_back(FieldError::forbidden(
        json::child_path(path, field), "may not be set for init containers without restartPolicy=Always"));
  }
  return errors;
}

FieldErrors check_container(const Object& container, bool is_on_host, const std::string& path) {
  FieldErrors errors;
  const std::string name = json::text_at(container, {"name"});
  const std::string image = json::text_at(container, {"image"});
  append(errors, check_not_empty(container, "name", path));
  if (!name.empty())
    append(errors, invalid_because(path + ".name", name, kube::validate_dns1123_label(name)));
  if (image.empty()) {
    errors.push_back(FieldError::required(path + ".image"));
  } else if (trim(image).size() != image.size()) {
    errors.push_back(
        FieldError::invalid(path + ".image", Value(image), "must not have leading or trailing whitespace"));
  }
  append(errors, check_ports(container, is_on_host, path));
  append(errors, check_variables(container, path));
  append(errors, check_probes(container, path));
  append(errors, validate_resources(object_at(container, {"resources"}), path + ".resources"));
  return errors;
}

// Two containers cannot have one port of the host.
FieldErrors check_host_ports(const Object& spec, const std::string& path) {
  FieldErrors errors;
  std::set<std::string> seen;
  for_each_container(spec, "containers", path, [&](const Object& container, const std::string& place) {
    const Array& ports = array_at(container, {"ports"});
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (!ports[i].is_object()) continue;
      const Object& port = ports[i].get_object();
      const auto number = json::get_int(port, {"hostPort"}).value_or(0);
      if (number == 0) continue;
      const std::string key =
          fmt::format("{}/{}/{}", json::text_at(port, {"protocol"}), json::text_at(port, {"hostIP"}), number);
      if (seen.insert(key).second) continue;
      errors.push_back(
          FieldError::duplicate(json::index_path(place + ".ports", i) + ".hostPort", Value(key)));
    }
  });
  return errors;
}

}  // namespace

FieldErrors validate_containers(const Object& spec, const std::string& path) {
  FieldErrors errors = check_not_empty(spec, "containers", path);
  const bool is_on_host = json::get_bool(spec, {"hostNetwork"}).value_or(false);
  std::set<std::string> names;
  for (const std::string_view list : kContainerLists) {
    for_each_container(spec, list, path, [&](const Object& container, const std::string& place) {
      append(errors, check_container(container, is_on_host, place));
      if (list == "initContainers") append(errors, check_init_container(container, place));
      const std::string name = json::text_at(container, {"name"});
      if (!name.empty() && !names.insert(name).second) {
        errors.push_back(FieldError::duplicate(place + ".name", Value(name)));
      }
    });
  }
  append(errors, check_host_ports(spec, path));
  return errors;
}

}  // namespace fairway::apiserver::kinds
