// What the decision about one ConfigurationPolicy may use: the policy, what its templates mean in this
// cluster (targets.hpp), the objects they are about, and what became of this pass's actions so far. Values.
//
// A pass decides, acts and decides again with the outcomes, until only the status is left to write: so a
// status can say "was created" of something, and a refusal is told instead of repeated.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "fleet/agent/configuration.hpp"
#include "json/value.hpp"
#include "kube/core/gvk.hpp"

namespace fairway::fleet::agent {

using ObjectPointer = std::shared_ptr<const json::Object>;

// One object, whether it is there or not.
struct Subject {
  kube::GroupVersionKind kind;
  std::string namespace_ = {};
  std::string name = {};

  std::string to_string() const;  // ConfigMap apps/settings
  auto operator<=>(const Subject&) const = default;
};

// Where a template's definition applies: in one namespace, or once in the cluster.
struct Target {
  std::string namespace_ = {};
  std::string name = {};  // empty: any object of the kind
  json::Object definition = {};
  std::vector<ObjectPointer> live = {};  // that object, or all that the name leaves open
};

// The reason of faults that may go away without a change that anybody tells of.
inline constexpr std::string_view kServerError = "K8s error";

// What keeps a template from being compared at all.
struct Fault {
  std::string reason;
  std::string message;
  bool operator==(const Fault&) const = default;
};

struct PreparedTemplate {
  ObjectTemplate settings = {};
  kube::GroupVersionKind kind = {};
  std::string resource = {};  // plural, for messages
  bool is_namespaced = true;
  std::vector<Target> targets = {};
  bool is_over_objects = false;  // its definitions are templates that need the live objects; see targets.hpp
  bool is_skipped = false;       // skipObject was called for all of them
  bool has_decrypted = false;    // its definitions hold what no message, diff or log line may show
  std::optional<Fault> fault = {};
};

// What became of the actions on a subject in this pass.
struct Outcome {
  std::optional<Result<ObjectPointer>> trial = {};  // the server's answer to a dry-run update
  bool was_created = false;
  bool was_updated = false;
  bool was_deleted = false;
  bool is_seen_anew = false;  // `now` stands for what the caches have; null: there is none
  ObjectPointer now = {};
  std::optional<Error> refusal = {};  // of a write, for good
};
using Outcomes = std::map<Subject, Outcome>;

// An entry of the last status.relatedObjects, with what is there now.
struct Related {
  Subject subject;
  bool was_created_by_policy = false;
  bool is_unwanted = false;  // of a mustnothave template
  std::string uid = {};
  ObjectPointer live = {};
};

struct Observed {
  ObjectPointer policy = {};
  std::vector<PreparedTemplate> templates = {};
  std::vector<std::string> namespaces = {};                        // that are selected
  std::optional<std::vector<std::string>> namespaces_before = {};  // at the last look, where known
  std::vector<Related> related = {};
  Outcomes outcomes = {};
  bool lacks_key = false;  // of its encrypted values: the hub would not give it
  WallTime now = {};
};

}  // namespace fairway::fleet::agent
