#include "apiserver/rbac_escalation.hpp"

#include <fmt/format.h>
#include <set>

#include "apiserver/authorization.hpp"
#include "base/text.hpp"
#include "json/schema_errors.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

bool is_same(const Object* before, const Object& object, std::string_view field) {
  if (before == nullptr) return false;
  const Value* old = before->if_contains(field);
  const Value* now = object.if_contains(field);
  if (old == nullptr || now == nullptr) return old == now;
  return json::same_value(*old, *now);
}

bool may(const RbacState& state, const User& user, std::string_view verb, std::string_view resource,
         std::string_view ns, std::string_view name) {
  return authorize(state, user,
                   {.verb = std::string(verb),
                    .group = std::string(kRbacGroup),
                    .resource = std::string(resource),
                    .ns = std::string(ns),
                    .name = std::string(name)})
      .allowed;
}

ApiResult<void> refuse_grant(const Resource& resource, std::string_view name,
                             std::optional<std::string> problem) {
  if (!problem) return {};
  return refuse(kube::status_forbidden({resource.group, resource.plural}, name, *problem));
}

ApiResult<void> check_role(const RbacState& state, const User& user, const Resource& resource,
                           const Object* before, const Object& object) {
  const std::string_view ns = kube::namespace_of(object);
  const std::string_view name = kube::name_of(object);
  if (may(state, user, "escalate", resource.plural, ns, name)) return {};
  // What an aggregated role will hold is not known yet: it could be anything.
  static const PolicyRules kEverything{{.verbs = {"*"}, .api_groups = {"*"}, .resources = {"*"}},
                                       {.verbs = {"*"}, .non_resource_urls = {"*"}}};
  if (object.contains("aggregationRule") && !is_same(before, object, "aggregationRule")) {
    auto allowed = refuse_grant(resource, name, escalation_problem(state, user, ns, kEverything));
    if (!allowed) return allowed;
  }
  if (is_same(before, object, "rules")) return {};
  return refuse_grant(resource, name, escalation_problem(state, user, ns, rules_in(object)));
}

ApiResult<void> check_binding(const RbacState& state, const User& user, const Resource& resource,
                              const Object* before, const Object& object) {
  if (is_same(before, object, "subjects") && is_same(before, object, "roleRef")) return {};
  const std::string_view ns = kube::namespace_of(object);
  const RoleRef role = RoleRef::from(object);
  const std::string_view roles = role.kind == "Role" ? "roles" : "clusterroles";
  if (may(state, user, "bind", roles, ns, role.name)) return {};
  const PolicyRules* rules = state.rules_of(role, ns);
  if (rules == nullptr)
    return refuse(kube::status_not_found({std::string(kRbacGroup), std::string(roles)}, role.name));
  return refuse_grant(resource, kube::name_of(object), escalation_problem(state, user, ns, *rules));
}

}  // namespace

std::optional<std::string> escalation_problem(const RbacState& state, const User& user, std::string_view ns,
                                              const PolicyRules& rules) {
  if (user.is_in(kMastersGroup)) return std::nullopt;
  const RbacState::Rules held = state.rules_for(user, ns);
  const PolicyRules missing_rules = missing_rights(held.rules, rules);
  if (missing_rules.empty()) return std::nullopt;
  std::set<std::string> lines;
  for (const PolicyRule& rule : missing_rules) lines.insert(rule.describe());
  std::string problem =
      fmt::format("user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
                  json::go_quoted(user.name), go_list(user.groups), fmt::join(lines, "\n"));
  if (!held.problems.empty()) problem += fmt::format("; resolution errors: [{}]", join(held.problems, ", "));
  return problem;
}

ApiResult<void> check_escalation(const RbacState& state, const User& user, const Resource& resource,
                                 const Object* before, const Object& object) {
  const auto kind = rbac_kind(resource.group, resource.plural);
  if (!kind || user.is_in(kMastersGroup)) return {};
  const bool is_role = *kind == RbacKind::Role || *kind == RbacKind::ClusterRole;
  return is_role ? check_role(state, user, resource, before, object)
                 : check_binding(state, user, resource, before, object);
}

}  // namespace fairway::apiserver
