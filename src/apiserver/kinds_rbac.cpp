// Role, ClusterRole and their bindings.
#include <array>

#include "apiserver/kinds_support.hpp"
#include "apiserver/kinds_table.hpp"
#include "apiserver/rbac.hpp"

namespace fairway::apiserver::kinds {
namespace {

FieldErrors check_rule(const Object& rule, bool is_namespaced, const std::string& path) {
  FieldErrors errors = check_not_empty(rule, "verbs", path, "verbs must contain at least one value");
  const Array& urls = array_at(rule, {"nonResourceURLs"});
  if (!urls.empty()) {
    if (is_namespaced) {
      errors.push_back(FieldError::invalid(path + ".nonResourceURLs", Value(urls),
                                           "namespaced rules cannot apply to non-resource URLs"));
    }
    if (!array_at(rule, {"apiGroups"}).empty() || !array_at(rule, {"resources"}).empty() ||
        !array_at(rule, {"resourceNames"}).empty()) {
      errors.push_back(
          FieldError::invalid(path + ".nonResourceURLs", Value(urls),
                              "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return errors;
  }
  if (array_at(rule, {"apiGroups"}).empty()) {
    errors.push_back(
        FieldError::required(path + ".apiGroups", "resource rules must supply at least one api group"));
  }
  if (array_at(rule, {"resources"}).empty()) {
    errors.push_back(
        FieldError::required(path + ".resources", "resource rules must supply at least one resource"));
  }
  return errors;
}

FieldErrors check_rules(const Object& role, bool is_namespaced) {
  FieldErrors errors;
  const Array& rules = array_at(role, {"rules"});
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!rules[i].is_object()) continue;
    append(errors, check_rule(rules[i].get_object(), is_namespaced, json::index_path("rules", i)));
  }
  return errors;
}

FieldErrors validate_role(const Object& role) {
  return check_rules(role, true);
}

FieldErrors validate_cluster_role(const Object& role) {
  FieldErrors errors = check_rules(role, false);
  if (json::get_object(role, {"aggregationRule"}) == nullptr) return errors;
  const std::string path = "aggregationRule.clusterRoleSelectors";
  const Array& selectors = array_at(role, {"aggregationRule", "clusterRoleSelectors"});
  if (selectors.empty()) {
    errors.push_back(FieldError::required(
        path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  }
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].is_object()) continue;
    append(errors, check_label_selector(selectors[i].get_object(), json::index_path(path, i)));
  }
  return errors;
}

void default_binding(Object& binding) {
  Array* subjects = find_array(binding, {"subjects"});
  if (subjects == nullptr) return;
  for (Value& value : *subjects) {
    Object* subject = value.if_object();
    if (subject == nullptr || !json::text_at(*subject, {"apiGroup"}).empty()) continue;
    const std::string kind = json::text_at(*subject, {"kind"});
    if (kind == "User" || kind == "Group") (*subject)["apiGroup"] = kRbacGroup;
  }
}

FieldErrors check_role_ref(const Object& binding, std::span<const std::string> kinds) {
  FieldErrors errors;
  const std::string group = json::text_at(binding, {"roleRef", "apiGroup"});
  const std::string kind = json::text_at(binding, {"roleRef", "kind"});
  const std::string name = json::text_at(binding, {"roleRef", "name"});
  if (group != kRbacGroup) {
    errors.push_back(
        FieldError::not_supported("roleRef.apiGroup", Value(group), std::array{std::string(kRbacGroup)}));
  }
  if (std::ranges::find(kinds, kind) == kinds.end()) {
    errors.push_back(FieldError::not_supported("roleRef.kind", Value(kind), kinds));
  }
  append(errors, check_not_empty(object_at(binding, {"roleRef"}), "name", "roleRef"));
  append(errors, invalid_because("roleRef.name", name, kube::validate_path_segment_name(name)));
  return errors;
}

FieldErrors check_account_subject(const Object& subject, bool is_namespaced, const std::string& path) {
  FieldErrors errors;
  const std::string name = json::text_at(subject, {"name"});
  if (!name.empty())
    append(errors, invalid_because(path + ".name", name, kube::validate_dns1123_subdomain(name)));
  if (const std::string group = json::text_at(subject, {"apiGroup"}); !group.empty()) {
    errors.push_back(FieldError::not_supported(path + ".apiGroup", Value(group), std::array{std::string()}));
  }
  if (!is_namespaced && json::text_at(subject, {"namespace"}).empty()) {
    errors.push_back(FieldError::required(path + ".namespace"));
  }
  return errors;
}

FieldErrors check_subject(const Object& subject, bool is_namespaced, const std::string& path) {
  FieldErrors errors;
  const std::string kind = json::text_at(subject, {"kind"});
  const std::string name = json::text_at(subject, {"name"});
  append(errors, check_not_empty(subject, "name", path));
  if (kind == "ServiceAccount") {
    append(errors, check_account_subject(subject, is_namespaced, path));
  } else if (kind == "User" || kind == "Group") {
    if (name.empty()) {
      errors.push_back(
          FieldError::invalid(path + ".name", Value(name),
                              kind == "User" ? "user name cannot be empty" : "group name cannot be empty"));
    }
    if (const std::string group = json::text_at(subject, {"apiGroup"}); group != kRbacGroup) {
      errors.push_back(
          FieldError::not_supported(path + ".apiGroup", Value(group), std::array{std::string(kRbacGroup)}));
    }
  } else {
    const std::array<std::string, 3> kinds{"ServiceAccount", "User", "Group"};
    errors.push_back(FieldError::not_supported(path + ".kind", Value(kind), kinds));
  }
  return errors;
}

FieldErrors check_binding(const Object& binding, bool is_namespaced) {
  const std::vector<std::string> kinds = is_namespaced ? std::vector<std::string>{"Role", "ClusterRole"}
                                                       : std::vector<std::string>{"ClusterRole"};
  FieldErrors errors = check_role_ref(binding, kinds);
  const Array& subjects = array_at(binding, {"subjects"});
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!subjects[i].is_object()) continue;
    append(errors, check_subject(subjects[i].get_object(), is_namespaced, json::index_path("subjects", i)));
  }
  return errors;
}

FieldErrors validate_binding_update(const Object& before, const Object& binding) {
  if (is_same(before, binding, {"roleRef"})) return {};
  return {FieldError::invalid("roleRef", Value(object_at(binding, {"roleRef"})), "cannot change roleRef")};
}

}  // namespace

const KindRules& role_rules() {
  static const KindRules kRules{.name_problems = path_segment_name, .validate = validate_role};
  return kRules;
}

const KindRules& cluster_role_rules() {
  static const KindRules kRules{.name_problems = path_segment_name, .validate = validate_cluster_role};
  return kRules;
}

const KindRules& role_binding_rules() {
  static const KindRules kRules{
      .name_problems = path_segment_name,
      .default_fields = default_binding,
      .validate = [](const Object& binding) { return check_binding(binding, true); },
      .validate_update = validate_binding_update};
  return kRules;
}

const KindRules& cluster_role_binding_rules() {
  static const KindRules kRules{
      .name_problems = path_segment_name,
      .default_fields = default_binding,
      .validate = [](const Object& binding) { return check_binding(binding, false); },
      .validate_update = validate_binding_update};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
