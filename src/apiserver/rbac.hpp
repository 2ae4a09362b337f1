// RBAC: who may do what in one logical cluster.
//
// RbacState holds the roles and bindings of a cluster in the form that questions are asked in: bindings are
// found by their subjects, so that a check costs a look-up for the user and each of its groups, not a walk
// over all bindings. It is fed with objects as they change; aggregated ClusterRoles are put together at that
// time. authorize() is pure. Reasons and refusals are worded as kube-apiserver words them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/identity.hpp"
#include "apiserver/rbac_rules.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"
#include "kube/core/selector.hpp"

namespace fairway::apiserver {

inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

enum class RbacKind { Role, ClusterRole, RoleBinding, ClusterRoleBinding };

// Nothing for resources that do not concern RBAC.
std::optional<RbacKind> rbac_kind(std::string_view group, std::string_view plural);

struct RoleRef {
  std::string kind;  // Role or ClusterRole
  std::string name;

  static RoleRef from(const json::Object& binding);
  bool operator==(const RoleRef&) const = default;
};

class RbacState {
 public:
  struct Subject {
    std::string kind;
    std::string name;
    std::string ns;  // of a ServiceAccount, the binding's own where none is given
  };
  struct Binding {
    std::string ns;  // empty for a ClusterRoleBinding
    std::string name;
    RoleRef role;
    std::vector<Subject> subjects;

    // ClusterRoleBinding "x" of ClusterRole "y" to Group "z"
    std::string describe(std::size_t subject) const;
  };
  struct Rules {
    PolicyRules rules;
    std::vector<std::string> problems;  // roles that bindings name and that do not exist
  };
  // A rule that holds, and the binding and its subject that it holds by; false ends the visit.
  using Visit = std::function<bool(const PolicyRule& rule, const Binding& binding, std::size_t subject)>;

  // The object's newest state; null when it is gone.
  void apply(RbacKind kind, const kube::ObjectKey& key, const json::Object* object);

  // Cluster-wide grants first, then those of the namespace, if any; bindings by name. Gives what is amiss.
  std::vector<std::string> visit(const User& user, std::string_view ns, const Visit& visit) const;
  Rules rules_for(const User& user, std::string_view ns) const;
  // Null when there is no such role. `ns` is that of the binding.
  const PolicyRules* rules_of(const RoleRef& role, std::string_view ns) const;

 private:
  struct ClusterRole {
    PolicyRules written;
    PolicyRules rules;  // those in effect
    json::Object labels;
    bool is_aggregated = false;
    std::vector<kube::Selector> selectors;
  };
  struct Match {
    const Binding* binding;
    std::size_t subject;
  };

  void apply_cluster_role(const std::string& name, const json::Object* object);
  void apply_binding(const kube::ObjectKey& key, const json::Object* object);
  void remove_binding(const kube::ObjectKey& key);
  void aggregate();
  PolicyRules gathered(const std::string& name, const ClusterRole& role) const;
  std::vector<Match> matches(const User& user, std::string_view ns) const;

  std::map<kube::ObjectKey, PolicyRules> roles_;
  std::map<std::string, ClusterRole> cluster_roles_;
  std::map<kube::ObjectKey, Binding> bindings_;
  // By namespace and subject: names of bindings, each with the first of its subjects that is this one.
  std::unordered_map<std::string, std::map<std::string, std::size_t>> by_subject_;
};

AccessDecision authorize(const RbacState& state, const User& user, const AccessRequest& request);

// User "jane" cannot list resource "pods" in API group "" in the namespace "default"
std::string describe_denial(const User& user, const AccessRequest& request);

}  // namespace fairway::apiserver
