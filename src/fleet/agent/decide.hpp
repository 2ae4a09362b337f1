// The agent's decision about one ConfigurationPolicy: what to try, create, update or delete in the cluster,
// and what its status says. Pure, total, deterministic.
//
// Nothing is written to objects unless the policy is enforced. Deleted is only what a mustnothave template
// matches, what is made anew by recreateOption, or what pruneObjectBehavior gives back, each by its uid. As
// long as a plan has actions on objects it has no status: it is decided again with their outcomes.
#pragma once

#include <string>
#include <variant>

#include "fleet/agent/observed.hpp"
#include "fleet/agent/verdicts.hpp"
#include "kube/core/plan.hpp"

namespace fairway::fleet::agent {

// Held by policies whose objects go with them.
inline constexpr std::string_view kPruneFinalizer =
    "policy.open-cluster-management.io/delete-related-objects";
// How long a write that was refused for good stands before it is tried again: the reason may be a permission,
// whose change nobody tells of.
inline constexpr Duration kRefusalStands = std::chrono::minutes(1);

struct SetFinalizer {
  ObjectPointer policy;
  bool is_wanted = false;
};
struct WriteStatus {
  ObjectPointer policy;
  json::Object status;
};
using Action = std::variant<TryUpdate, CreateObject, UpdateObject, DeleteObject, SetFinalizer, WriteStatus>;
std::string describe(const Action& action);

kube::Plan<Action> decide(const Observed& seen);

}  // namespace fairway::fleet::agent
