#include "fleet/hub/install_plans.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "fleet/holds.hpp"
#include "fleet/hub/cluster_jobs.hpp"
#include "fleet/hub/kinds.hpp"
#include "fleet/phase.hpp"
#include "fleet/placements.hpp"
#include "fleet/works.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

using SeenObject = std::shared_ptr<const json::Object>;

constexpr std::string_view kOperatorGroup = "operators.coreos.com";
constexpr std::string_view kSubscription = "Subscription";
constexpr std::string_view kInstallPlan = "InstallPlan";

std::string_view said_at(const json::Object& object, json::Path path) {
  return json::get_string(object, path).value_or("");
}

// Both say the same, or one of them nothing.
bool agree(std::string_view left, std::string_view right) {
  return left.empty() || right.empty() || left == right;
}

// What is looked at on a cluster.
struct Sight {
  std::string_view kind;
  std::string name;
  std::string namespace_;
  bool operator==(const Sight&) const = default;

  std::string resource() const {
    return kind == kSubscription ? fmt::format("{}.{}", kind, kOperatorGroup) : std::string(kind);
  }
};

bool looks_at(const json::Object& view, const Sight& target) {
  return said_at(view, {"spec", "scope", "resource"}) == target.resource() &&
         said_at(view, {"spec", "scope", "name"}) == target.name &&
         said_at(view, {"spec", "scope", "namespace"}) == target.namespace_;
}

// What the view shows now, if it is what was asked for.
const json::Object* shown_of(const json::Object& view, const Sight& target) {
  if (!kube::is_condition_true(kube::conditions_of(view), "Processing")) return nullptr;
  const json::Object* shown = shown_by(view);
  const bool is_it = shown != nullptr && kube::kind_of(*shown) == target.kind &&
                     kube::name_of(*shown) == target.name && kube::namespace_of(*shown) == target.namespace_;
  return is_it ? shown : nullptr;
}

// Anything but a plain no may be a yes.
bool is_known_unapproved(const json::Object& plan) {
  const json::Value* approved = json::find(plan, {"spec", "approved"});
  if (approved == nullptr) return true;
  if (approved->is_bool()) return !approved->get_bool();
  return approved->is_string() && json::view(approved->get_string()) == "false";
}

// The plan as it was seen, but for the consent. Its version makes the cluster refuse it for any other.
json::Object approved(const json::Object& plan) {
  json::Object made = plan;
  json::remove(made, "status");
  json::remove(json::ensure_object(made, {"metadata"}), "managedFields");
  json::ensure_object(made, {"spec"})["approved"] = true;
  return made;
}

class Approver {
 public:
  Approver(const ClusterGroupUpgrade& rollout, const std::vector<SeenObject>& seen) : rollout_(rollout) {
    for (const SeenObject& each : seen) {
      // Jobs have no such annotation.
      if (kube::annotation(*each, kDesiredName)) seen_.emplace(place_of(*each), each);
    }
  }

  ApprovalStep run(WallTime now) {
    for (const auto& [cluster, policy] : policies_under_way(rollout_, now)) {
      const auto content = rollout_.status.managed_policies_content.find(policy);
      if (content == rollout_.status.managed_policies_content.end()) continue;
      for (const PolicySubscription& each : subscriptions_in(content->second)) follow(cluster, each);
    }
    for (const auto& [place, object] : seen_) {
      const bool stays = needed_.contains(place) && !outdated_.contains(place);
      if (!stays && !kube::is_being_deleted(*object)) step_.remove.push_back(object);
    }
    return std::move(step_);
  }

 private:
  using Place = std::tuple<std::string, std::string, std::string>;  // kind, cluster, name
  static Place place_of(const json::Object& object) {
    return {std::string(kube::kind_of(object)), std::string(kube::namespace_of(object)),
            std::string(kube::name_of(object))};
  }

  void follow(const std::string& cluster, const PolicySubscription& at) {
    const json::Object* subscription = look(cluster, {kSubscription, at.name, at.namespace_});
    if (subscription == nullptr) return;
    std::string name = pending_plan(*subscription);
    if (name.empty()) return;
    const json::Object* plan = look(cluster, {kInstallPlan, std::move(name), at.namespace_});
    if (plan != nullptr && awaits_consent(*plan, *subscription)) approve(cluster, *plan);
  }

  // Keeps a view of the target; what it shows.
  const json::Object* look(const std::string& cluster, const Sight& target) {
    const Claim claimed = claim(kClusterViews, cluster, target);
    const auto found = seen_.find(claimed.place);
    if (found != seen_.end()) {
      // A view of something else in its place goes first.
      if (looks_at(*found->second, target)) return shown_of(*found->second, target);
      outdated_.insert(claimed.place);
    } else if (claimed.is_first) {
      json::Object spec;
      spec["scope"] = json::Object{
          {"resource", target.resource()}, {"name", target.name}, {"namespace", target.namespace_}};
      make(kClusterViews, claimed, std::move(spec));
    }
    return nullptr;
  }

  void approve(const std::string& cluster, const json::Object& plan) {
    const Sight target{kInstallPlan, std::string(kube::name_of(plan)), std::string(kube::namespace_of(plan))};
    const Claim claimed = claim(kClusterActions, cluster, target);
    const auto found = seen_.find(claimed.place);
    if (found != seen_.end()) {
      // The cluster refuses an order about another version: it goes, and a new one is given.
      const auto version =
          said_at(*found->second, {"spec", "kube", "template", "metadata", "resourceVersion"});
      if (version != kube::resource_version_of(plan)) outdated_.insert(claimed.place);
    } else if (claimed.is_first) {
      json::Object kube{{"resource", "installplan"}, {"name", target.name}, {"namespace", target.namespace_}};
      kube["template"] = approved(plan);
      json::Object spec{{"actionType", "Update"}};
      spec["kube"] = std::move(kube);
      make(kClusterActions, claimed, std::move(spec));
    }
  }

  // Where the view or action about a target is.
  struct Claim {
    Place place;
    std::string desired;
    bool is_first = true;  // several Subscriptions may wait for one plan
  };
  Claim claim(const kube::ResourceType& type, const std::string& cluster, const Sight& target) {
    Claim made{.desired = to_lower(fmt::format("{}-{}-{}-{}", rollout_.metadata.name,
                                               rollout_.metadata.namespace_, target.kind, target.name))};
    made.place = {type.kind.kind, cluster, name_for(made.desired, cluster)};
    const auto taken = needed_.find(made.place);
    // Another namespace of the cluster may have one of the same name.
    if (taken != needed_.end() && taken->second != target) {
      made.desired += fmt::format("-{}", target.namespace_);
      made.place = {type.kind.kind, cluster, name_for(made.desired, cluster)};
    }
    made.is_first = needed_.emplace(made.place, target).second;
    return made;
  }

  void make(const kube::ResourceType& type, const Claim& claimed, json::Object spec) {
    json::Object metadata{{"name", std::get<2>(claimed.place)}, {"namespace", std::get<1>(claimed.place)}};
    metadata["labels"] = json::Object{{kAppLabel, kAppName},
                                      {kRolloutLabel, rollout_.metadata.name},
                                      {kRolloutNamespaceLabel, rollout_.metadata.namespace_},
                                      {kNotBackedUpLabel, "true"}};
    metadata["annotations"] = json::Object{{kDesiredName, claimed.desired}};
    step_.create.push_back({{"apiVersion", type.kind.api_version()},
                            {"kind", type.kind.kind},
                            {"metadata", std::move(metadata)},
                            {"spec", std::move(spec)}});
  }

  std::string name_for(const std::string& desired, const std::string& cluster) const {
    return safe_name(desired, name_suffix(rollout_, desired), cluster);
  }

  const ClusterGroupUpgrade& rollout_;
  std::map<Place, SeenObject> seen_;
  std::map<Place, Sight> needed_;
  std::set<Place> outdated_;
  ApprovalStep step_;
};

// Of a cluster in the batch that is open.
std::string policy_at(const ClusterGroupUpgradeStatus& status, const ClusterProgress& at) {
  const auto& policies = status.managed_policies_for_upgrade;
  const std::int64_t index = at.policy_index.value_or(-1);
  if (at.state != ProgressState::InProgress || index < 0) return "";
  return static_cast<std::size_t>(index) < policies.size() ? policies[static_cast<std::size_t>(index)].name
                                                           : "";
}

}  // namespace

std::vector<PolicySubscription> subscriptions_in(std::string_view content) {
  std::vector<PolicySubscription> found;
  const auto read = json::parse(content);
  if (!read || !read->is_array()) return found;
  for (const json::Value& each : read->get_array()) {
    if (!each.is_object()) continue;
    const json::Object& entry = each.get_object();
    const std::string_view version = kube::api_version_of(entry);
    // Other groups have Subscriptions of their own; the first rollouts wrote none.
    const bool is_operator = version.empty() || version.substr(0, version.find('/')) == kOperatorGroup;
    PolicySubscription made{std::string(said_at(entry, {"name"})),
                            std::string(said_at(entry, {"namespace"}))};
    const bool is_known = std::ranges::find(found, made) != found.end();
    if (kube::kind_of(entry) == kSubscription && is_operator && !is_known && !made.name.empty() &&
        !made.namespace_.empty())
      found.push_back(std::move(made));
  }
  return found;
}

std::map<std::string, std::string> policies_under_way(const ClusterGroupUpgrade& rollout, WallTime now) {
  std::map<std::string, std::string> found;
  const Phase phase = phase_of(&rollout);
  if (!std::holds_alternative<phase::Rolling>(phase) || rolls_works(rollout.spec)) return found;
  const auto hold = hold_of(rollout, rollout.status, std::nullopt, now);
  if (hold && hold->mode == HoldMode::Freeze) return found;
  for (const auto& [cluster, at] : rollout.status.status.current_batch_remediation_progress) {
    if (std::string policy = policy_at(rollout.status, at); !policy.empty())
      found.emplace(cluster, std::move(policy));
  }
  for (const ClusterRow& each : rollout.status.clusters) {
    if (each.state != kTimedOut) continue;
    found.erase(each.name);
    if (each.current_policy) found.emplace(each.name, each.current_policy->name);
  }
  return found;
}

std::string pending_plan(const json::Object& subscription) {
  if (said_at(subscription, {"status", "state"}) != "UpgradePending") return "";
  const std::string_view left = said_at(subscription, {"status", "installPlanRef", "name"});
  const std::string_view right = said_at(subscription, {"status", "installplan", "name"});
  const std::string_view ns = said_at(subscription, {"status", "installPlanRef", "namespace"});
  if (!agree(left, right) || !agree(ns, kube::namespace_of(subscription))) return "";
  return std::string(left.empty() ? right : left);
}

bool awaits_consent(const json::Object& plan, const json::Object& subscription) {
  const std::string_view uid = kube::uid_of(plan);
  const bool is_its_own = agree(uid, said_at(subscription, {"status", "installPlanRef", "uid"})) &&
                          agree(uid, said_at(subscription, {"status", "installplan", "uuid"}));
  const std::string_view wanted = said_at(subscription, {"status", "currentCSV"});
  const json::Array* versions = json::get_array(plan, {"spec", "clusterServiceVersionNames"});
  const bool brings_it = wanted.empty() || versions == nullptr || versions->empty() ||
                         std::ranges::any_of(*versions, [&](const json::Value& each) {
                           return each.is_string() && json::view(each.get_string()) == wanted;
                         });
  return is_its_own && brings_it && said_at(plan, {"spec", "approval"}) == "Manual" &&
         is_known_unapproved(plan) && agree(said_at(plan, {"status", "phase"}), "RequiresApproval") &&
         !kube::resource_version_of(plan).empty();
}

ApprovalStep approve_plans(const ClusterGroupUpgrade& rollout, const std::vector<SeenObject>& seen,
                           WallTime now) {
  return Approver(rollout, seen).run(now);
}

}  // namespace fairway::fleet
