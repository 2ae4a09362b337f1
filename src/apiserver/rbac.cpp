#include "apiserver/rbac.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/schema_errors.hpp"

namespace fairway::apiserver {
namespace {

using json::go_quoted;
using json::Object;

constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
// All that somebody without credentials gets to see, whatever is bound to system:unauthenticated.
constexpr std::array<std::string_view, 5> kPublicPaths{"/livez", "/readyz", "/healthz", "/version",
                                                       "/version/"};

std::string index_key(std::string_view ns, char kind, std::string_view name) {
  return fmt::format("{}\n{}{}", ns, kind, name);
}

// A service account is looked up by the name of its user. Empty for a subject that can never be anybody.
std::string subject_key(std::string_view binding_ns, const RbacState::Subject& subject) {
  if (subject.kind == "User") return index_key(binding_ns, 'u', subject.name);
  if (subject.kind == "Group") return index_key(binding_ns, 'g', subject.name);
  if (subject.kind != "ServiceAccount" || subject.ns.empty()) return {};
  return index_key(binding_ns, 'u', fmt::format("{}{}:{}", kServiceAccountPrefix, subject.ns, subject.name));
}

std::string join_problems(const std::vector<std::string>& problems) {
  return problems.size() == 1 ? problems.front() : fmt::format("[{}]", fmt::join(problems, ", "));
}

std::vector<kube::Selector> selectors_in(const Object& aggregation) {
  std::vector<kube::Selector> selectors;
  const json::Array* array = json::get_array(aggregation, {"clusterRoleSelectors"});
  if (array == nullptr) return selectors;
  for (const json::Value& value : *array) {
    auto parsed = json::from_json<kube::LabelSelector>(value);
    if (!parsed) continue;
    // A selector that cannot be understood selects nothing: it adds no rights.
    if (auto selector = kube::Selector::from(*parsed)) selectors.push_back(*std::move(selector));
  }
  return selectors;
}

}  // namespace

std::optional<RbacKind> rbac_kind(std::string_view group, std::string_view plural) {
  if (group != kRbacGroup) return std::nullopt;
  if (plural == "roles") return RbacKind::Role;
  if (plural == "clusterroles") return RbacKind::ClusterRole;
  if (plural == "rolebindings") return RbacKind::RoleBinding;
  if (plural == "clusterrolebindings") return RbacKind::ClusterRoleBinding;
  return std::nullopt;
}

RoleRef RoleRef::from(const Object& binding) {
  return {json::text_at(binding, {"roleRef", "kind"}), json::text_at(binding, {"roleRef", "name"})};
}

std::string RbacState::Binding::describe(std::size_t subject) const {
  const Subject& to = subjects[subject];
  const std::string who = to.kind == "ServiceAccount" ? fmt::format("{}/{}", to.name, to.ns) : to.name;
  return fmt::format("{} {} of {} {} to {} {}", ns.empty() ? "ClusterRoleBinding" : "RoleBinding",
                     go_quoted(ns.empty() ? name : fmt::format("{}/{}", name, ns)), role.kind,
                     go_quoted(role.name), to.kind, go_quoted(who));
}

void RbacState::apply(RbacKind kind, const kube::ObjectKey& key, const Object* object) {
  switch (kind) {
    case RbacKind::Role:
      if (object == nullptr) {
        roles_.erase(key);
      } else {
        roles_[key] = rules_in(*object);
      }
      return;
    case RbacKind::ClusterRole:
      return apply_cluster_role(key.name, object);
    case RbacKind::RoleBinding:
      return apply_binding(key, object);
    case RbacKind::ClusterRoleBinding:
      return apply_binding({"", key.name}, object);
  }
}

void RbacState::apply_cluster_role(const std::string& name, const Object* object) {
  if (object == nullptr) {
    cluster_roles_.erase(name);
    return aggregate();
  }
  ClusterRole role;
  role.written = rules_in(*object);
  if (const Object* labels = json::get_object(*object, {"metadata", "labels"})) role.labels = *labels;
  if (const Object* aggregation = json::get_object(*object, {"aggregationRule"})) {
    role.is_aggregated = true;
    role.selectors = selectors_in(*aggregation);
  }
  cluster_roles_[name] = std::move(role);
  aggregate();
}

PolicyRules RbacState::gathered(const std::string& name, const ClusterRole& role) const {
  PolicyRules rules;
  for (const kube::Selector& selector : role.selectors) {
    for (const auto& [other, member] : cluster_roles_) {
      if (other == name || !selector.matches(member.labels)) continue;
      for (const PolicyRule& rule : member.rules) {
        if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
      }
    }
  }
  return rules;
}

// Aggregated roles may gather aggregated roles, in circles too: from nothing, sets of rules only grow, so
// that this comes to an end after as many rounds as there are roles in the longest chain.
void RbacState::aggregate() {
  for (auto& [name, role] : cluster_roles_) role.rules = role.is_aggregated ? PolicyRules{} : role.written;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (auto& [name, role] : cluster_roles_) {
      if (!role.is_aggregated) continue;
      PolicyRules rules = gathered(name, role);
      if (rules.size() == role.rules.size()) continue;
      role.rules = std::move(rules);
      has_changed = true;
    }
  }
}

void RbacState::remove_binding(const kube::ObjectKey& key) {
  const auto found = bindings_.find(key);
  if (found == bindings_.end()) return;
  for (const Subject& subject : found->second.subjects) {
    const auto entry = by_subject_.find(subject_key(key.namespace_, subject));
    if (entry == by_subject_.end()) continue;
    entry->second.erase(key.name);
    if (entry->second.empty()) by_subject_.erase(entry);
  }
  bindings_.erase(found);
}

void RbacState::apply_binding(const kube::ObjectKey& key, const Object* object) {
  remove_binding(key);
  if (object == nullptr) return;
  Binding binding{key.namespace_, key.name, RoleRef::from(*object), {}};
  if (const json::Array* subjects = json::get_array(*object, {"subjects"})) {
    for (const json::Value& value : *subjects) {
      if (!value.is_object()) continue;
      const Object& from = value.get_object();
      Subject subject{json::text_at(from, {"kind"}), json::text_at(from, {"name"}),
                      json::text_at(from, {"namespace"})};
      if (subject.kind == "ServiceAccount" && subject.ns.empty()) subject.ns = key.namespace_;
      binding.subjects.push_back(std::move(subject));
    }
  }
  for (std::size_t i = 0; i < binding.subjects.size(); ++i) {
    const std::string place = subject_key(key.namespace_, binding.subjects[i]);
    if (!place.empty()) by_subject_[place].try_emplace(key.name, i);
  }
  bindings_[key] = std::move(binding);
}

std::vector<RbacState::Match> RbacState::matches(const User& user, std::string_view ns) const {
  std::vector<Match> found;
  const auto look_up = [&](char kind, std::string_view name) {
    const auto entry = by_subject_.find(index_key(ns, kind, name));
    if (entry == by_subject_.end()) return;
    for (const auto& [binding, subject] : entry->second) {
      found.push_back({&bindings_.at({std::string(ns), binding}), subject});
    }
  };
  look_up('u', user.name);
  for (const std::string& group : user.groups) look_up('g', group);
  const auto place = [](const Match& match) {
    return std::pair(std::string_view(match.binding->name), match.subject);
  };
  std::ranges::sort(found, {}, place);
  const auto rest = std::ranges::unique(found, {}, &Match::binding);
  found.erase(rest.begin(), rest.end());
  return found;
}

const PolicyRules* RbacState::rules_of(const RoleRef& role, std::string_view ns) const {
  if (role.kind == "ClusterRole") {
    const auto found = cluster_roles_.find(role.name);
    return found == cluster_roles_.end() ? nullptr : &found->second.rules;
  }
  if (role.kind != "Role") return nullptr;
  const auto found = roles_.find({std::string(ns), role.name});
  return found == roles_.end() ? nullptr : &found->second;
}

std::vector<std::string> RbacState::visit(const User& user, std::string_view ns, const Visit& visit) const {
  std::vector<std::string> problems;
  const auto visit_scope = [&](std::string_view scope) {
    for (const Match& match : matches(user, scope)) {
      const RoleRef& role = match.binding->role;
      const PolicyRules* rules = rules_of(role, scope);
      if (rules == nullptr) {
        problems.push_back(
            fmt::format("{}.{} {} not found", to_lower(role.kind), kRbacGroup, go_quoted(role.name)));
        continue;
      }
      for (const PolicyRule& rule : *rules) {
        if (!visit(rule, *match.binding, match.subject)) return false;
      }
    }
    return true;
  };
  if (visit_scope("") && !ns.empty()) visit_scope(ns);
  return problems;
}

RbacState::Rules RbacState::rules_for(const User& user, std::string_view ns) const {
  Rules result;
  result.problems = visit(user, ns, [&](const PolicyRule& rule, const Binding&, std::size_t) {
    result.rules.push_back(rule);
    return true;
  });
  return result;
}

AccessDecision authorize(const RbacState& state, const User& user, const AccessRequest& request) {
  if (user.is_in(kMastersGroup)) return {.allowed = true};
  if (user.is_anonymous()) {
    const bool is_public =
        request.verb == "get" && std::ranges::find(kPublicPaths, request.path) != kPublicPaths.end();
    return {.allowed = is_public, .reason = is_public ? "the path is open to everybody" : ""};
  }
  AccessDecision decision;
  const auto problems = state.visit(
      user, request.ns, [&](const PolicyRule& rule, const RbacState::Binding& binding, std::size_t subject) {
        if (!rule.allows(request)) return true;
        decision = {.allowed = true, .reason = "RBAC: allowed by " + binding.describe(subject)};
        return false;
      });
  if (!decision.allowed && !problems.empty()) decision.reason = "RBAC: " + join_problems(problems);
  return decision;
}

std::string describe_denial(const User& user, const AccessRequest& request) {
  const std::string who = go_quoted(user.name);
  if (!request.is_resource_request()) {
    return fmt::format("User {} cannot {} path {}", who, request.verb, go_quoted(request.path));
  }
  const std::string resource = request.subresource.empty()
                                   ? request.resource
                                   : fmt::format("{}/{}", request.resource, request.subresource);
  return fmt::format(
      "User {} cannot {} resource {} in API group {} {}", who, request.verb, go_quoted(resource),
      go_quoted(request.group),
      request.ns.empty() ? "at the cluster scope" : "in the namespace " + go_quoted(request.ns));
}

}  // namespace fairway::apiserver
