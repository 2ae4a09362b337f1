// The framework's decision about one child policy (spec 5.1): the ConfigurationPolicies that it becomes in
// the cluster, and what the child says of them on the hub. Pure, total, deterministic.
//
// A ConfigurationPolicy belongs to the child that its label names; one that belongs to nobody or to another
// is never touched. status.observedGeneration moves only when every template was judged as the child's
// present generation asks: so a reader never takes a finding from before a change (inform to enforce) for one
// after it.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fleet/agent/observed.hpp"
#include "kube/core/object.hpp"
#include "kube/core/plan.hpp"

namespace fairway::fleet::agent {

inline constexpr std::string_view kPolicyLabel = "policy.open-cluster-management.io/policy";
// A digest of the template that a ConfigurationPolicy was made from: what the server fills in is no change.
inline constexpr std::string_view kTemplateAnnotation = "policy.open-cluster-management.io/template-digest";

struct Dependency {
  std::string api_version;
  std::string kind;
  std::string namespace_ = {};
  std::string name = {};
  std::string compliance = {};  // that it must show
  auto operator<=>(const Dependency&) const = default;
};
// Of the policy and of all its templates, each once.
std::vector<Dependency> dependencies_of(const json::Object& child);

// Why the cluster did not take a ConfigurationPolicy. It stands for the same template for kRefusalStands,
// then it is tried again.
struct Refusal {
  std::string digest;  // of the template
  std::string message;
  WallTime at = {};
};

struct ChildObserved {
  kube::ObjectKey key = {};
  ObjectPointer child = {};                            // null: it is gone from the hub
  std::string cluster_namespace = {};                  // where ConfigurationPolicies are
  std::map<std::string, ObjectPointer> policies = {};  // ConfigurationPolicies there, by name
  std::map<Dependency, std::string> compliances = {};  // of dependencies; empty or absent: none to be had
  std::map<std::string, Refusal> refusals = {};        // by the name of the template
  WallTime now = {};
};

struct CreatePolicy {
  json::Object object;
};
struct UpdatePolicy {
  json::Object object;  // its resourceVersion guards it
};
struct DeletePolicy {
  kube::ObjectKey key;
  std::string uid;
};
struct WriteChildStatus {
  ObjectPointer child;
  json::Object status;
};
using FrameworkAction = std::variant<CreatePolicy, UpdatePolicy, DeletePolicy, WriteChildStatus>;
std::string describe(const FrameworkAction& action);

kube::Plan<FrameworkAction> decide_child(const ChildObserved& seen);
// Of the template that a ConfigurationPolicy was made from.
std::string digest_of(const json::Object& policy);

// The compliance that a message tells of by how it begins.
std::string compliance_in(std::string_view message);

}  // namespace fairway::fleet::agent
