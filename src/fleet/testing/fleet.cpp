#include "fleet/testing/fleet.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/patch.hpp"

namespace fairway::fleet::testing {
namespace {

constexpr std::string_view kNamespace = "default";

std::string key_text(std::string_view kind, const kube::ObjectKey& key) {
  return fmt::format("{} {}", kind, key.to_string());
}

// As the API keeps it: what is not written is not remembered.
ClusterGroupUpgrade stored(const ClusterGroupUpgrade& rollout) {
  return *json::from_json<ClusterGroupUpgrade>(json::to_object(rollout));
}

std::shared_ptr<const PolicyView> view_of(const std::string& name, const SimulatedPolicy& policy) {
  PolicyView view{.namespace_ = policy.namespace_, .name = name, .root = policy.root};
  std::vector<ComplianceTable::Row> rows;
  for (const auto& [cluster, compliance] : policy.rows) {
    view.children.push_back(cluster);
    rows.push_back({cluster, compliance});
  }
  if (policy.has_status) view.compliance = std::make_shared<const ComplianceTable>(std::move(rows));
  return std::make_shared<const PolicyView>(std::move(view));
}

bool is_of(const json::Object& object, const std::string& rollout) {
  return kube::label(object, kRolloutLabel) == std::optional<std::string_view>(rollout);
}

}  // namespace

void SimulatedFleet::add_cluster(const std::string& name, kube::Labels labels) {
  auto next = std::make_shared<ClusterTable>(*clusters);
  (*next)[name] = std::move(labels);
  clusters = std::move(next);
  agents[name];
}

void SimulatedFleet::add_policy(const std::string& name, const RootPolicy& root) {
  SimulatedPolicy& policy = policies[name];
  policy.root = std::make_shared<const RootPolicy>(root);
  for (const auto& [cluster, labels] : *clusters) policy.rows[cluster] = Compliance::NonCompliant;
}

void SimulatedFleet::set(const std::string& policy, const std::string& cluster, Compliance compliance) {
  if (compliance == Compliance::NotMatched) {
    policies.at(policy).rows.erase(cluster);
  } else {
    policies.at(policy).rows[cluster] = compliance;
  }
}

void SimulatedFleet::create(std::string name, ClusterGroupUpgradeSpec spec) {
  ClusterGroupUpgrade made{.spec = std::move(spec)};
  made.metadata.name = name;
  made.metadata.namespace_ = std::string(kNamespace);
  made.metadata.uid = "uid-" + next_version();
  made.metadata.resource_version = next_version();
  made.metadata.annotations[std::string(kNameSuffix)] = "kuttl";
  rollouts[std::move(name)] = std::make_shared<const ClusterGroupUpgrade>(stored(made));
}

void SimulatedFleet::change(const std::string& name, const std::function<void(ClusterGroupUpgrade&)>& edit) {
  const auto found = rollouts.find(name);
  if (found == rollouts.end()) return;
  ClusterGroupUpgrade next = *found->second;
  edit(next);
  next.metadata.resource_version = next_version();
  found->second = std::make_shared<const ClusterGroupUpgrade>(stored(next));
}

void SimulatedFleet::remove(const std::string& name) {
  change(name, [&](ClusterGroupUpgrade& edited) { edited.metadata.deletion_timestamp = whole_seconds(now); });
  const auto found = rollouts.find(name);
  if (found != rollouts.end() && found->second->metadata.finalizers.empty()) rollouts.erase(found);
}

// Those that placements with a binding name, and that the policy is bound to.
std::set<std::string> SimulatedFleet::enforced_on(const std::string& policy) const {
  const SimulatedPolicy& asked = policies.at(policy);
  std::set<std::string> enforced;
  const bool is_everywhere = asked.root->remediation_action == "enforce";
  if (is_everywhere) {
    for (const auto& [cluster, compliance] : asked.rows) enforced.insert(cluster);
    return enforced;
  }
  for (const auto& [key, object] : objects) {
    if (kube::label(*object, kPolicyLabel) != std::optional<std::string_view>(policy)) continue;
    if (!objects.contains(key_text("PlacementBinding", kube::key_of(*object)))) continue;
    const auto rollout = kube::label(*object, kRolloutLabel);
    if (!rollout || !rollouts.contains(std::string(*rollout))) continue;
    for (std::string& each : clusters_in(*object)) {
      if (asked.rows.contains(each)) enforced.insert(std::move(each));
    }
  }
  return enforced;
}

bool SimulatedFleet::is_enforced(const std::string& policy, const std::string& cluster) const {
  return enforced_on(policy).contains(cluster);
}

std::set<std::string> SimulatedFleet::enforced_by(const std::string& rollout) const {
  std::set<std::string> named;
  for (const auto& [key, object] : objects) {
    if (!is_of(*object, rollout) || kube::kind_of(*object) == "PlacementBinding") continue;
    if (kube::kind_of(*object) == kWorkKind) named.insert(std::string(kube::namespace_of(*object)));
    for (std::string& each : clusters_in(*object)) named.insert(std::move(each));
  }
  return named;
}

void SimulatedFleet::tick() {
  tick_works();
  for (auto& [name, policy] : policies) {
    const std::set<std::string> enforced = enforced_on(name);
    std::erase_if(worked_, [&](const auto& each) {
      return each.first.first == name && !enforced.contains(each.first.second);
    });
    for (const std::string& cluster : enforced) {
      const SimulatedAgent& agent = agents.at(cluster);
      if (!agent.is_dead && ++worked_[{name, cluster}] >= agent.ticks_to_comply)
        policy.rows.at(cluster) = Compliance::Compliant;
    }
  }
}

void SimulatedFleet::add_template(const std::string& name) {
  json::Object made{{"kind", "ManifestWorkReplicaSet"}};
  made["metadata"] = json::Object{{"name", name}, {"namespace", kNamespace}};
  json::ensure_object(made, {"spec", "manifestWorkTemplate"})["workload"] = name;
  templates[name] = std::make_shared<const json::Object>(std::move(made));
}

// Works that agents have worked on long enough are through.
void SimulatedFleet::tick_works() {
  for (auto& [key, object] : objects) {
    if (kube::kind_of(*object) != kWorkKind) continue;
    const std::string cluster(kube::namespace_of(*object));
    const SimulatedAgent& agent = agents.at(cluster);
    int& worked = worked_[{std::string(kube::uid_of(*object)), cluster}];
    if (agent.is_dead || ++worked < agent.ticks_to_comply) continue;
    json::Object next = *object;
    json::ensure_object(next, {"status"})["conditions"] =
        json::Array{json::Object{{"type", "Applied"}, {"status", "True"}},
                    json::Object{{"type", "Available"}, {"status", "True"}}};
    object = std::make_shared<const json::Object>(std::move(next));
  }
}

Observed SimulatedFleet::observe(const std::string& name) const {
  Observed seen{.key = {std::string(kNamespace), name}, .clusters = clusters, .now = now};
  seen.settings = settings;
  seen.templates = templates;
  seen.unavailable = std::make_shared<const UnavailableClusters>(unavailable);
  if (const auto found = rollouts.find(name); found != rollouts.end()) seen.rollout = found->second;
  for (const auto& [policy, each] : policies) seen.policies[policy] = {view_of(policy, each)};
  for (const auto& [other, each] : rollouts) {
    if (other != name) seen.others[{std::string(kNamespace), other}] = each;
  }
  for (const auto& [key, object] : objects) {
    if (!is_of(*object, name)) continue;
    const std::string_view kind = kube::kind_of(*object);
    (kind == kWorkKind            ? seen.works
     : kind == "PlacementBinding" ? seen.bindings
                                  : seen.placements)
        .push_back(object);
  }
  return seen;
}

Result<void> SimulatedFleet::store(const ClusterGroupUpgrade& seen, ClusterGroupUpgrade next) {
  const auto found = rollouts.find(seen.metadata.name);
  if (found == rollouts.end()) return fail(ErrorCode::NotFound, "no such rollout");
  if (found->second->metadata.resource_version != seen.metadata.resource_version)
    return fail(ErrorCode::Conflict, "the rollout has changed");
  next.metadata.resource_version = next_version();
  found->second = std::make_shared<const ClusterGroupUpgrade>(stored(next));
  return {};
}

Result<void> SimulatedFleet::create_object(json::Object object) {
  const std::string key = key_text(kube::kind_of(object), kube::key_of(object));
  if (objects.contains(key)) return fail(ErrorCode::AlreadyExists, key + " exists");
  object["metadata"].get_object()["uid"] = "uid-" + next_version();
  object["metadata"].get_object()["resourceVersion"] = next_version();
  objects[key] = std::make_shared<const json::Object>(std::move(object));
  return {};
}

Result<void> SimulatedFleet::patch_object(const std::string& kind, const kube::ObjectKey& key,
                                          const std::string& version, const json::Object& patch) {
  const auto found = objects.find(key_text(kind, key));
  if (found == objects.end()) return fail(ErrorCode::NotFound, key.to_string() + " is gone");
  if (kube::resource_version_of(*found->second) != version)
    return fail(ErrorCode::Conflict, key.to_string() + " has changed");
  json::Value next = *found->second;
  json::apply_merge_patch(next, patch);
  next.get_object()["metadata"].get_object()["resourceVersion"] = next_version();
  found->second = std::make_shared<const json::Object>(std::move(next.get_object()));
  return {};
}

struct Act {
  SimulatedFleet& fleet;

  Result<void> operator()(const WriteStatus& action) const {
    ClusterGroupUpgrade next = *action.rollout;
    next.status = action.status;
    FAIRWAY_CHECKED(fleet.store(*action.rollout, std::move(next)));
    fleet.events.insert(fleet.events.end(), action.events.begin(), action.events.end());
    return {};
  }
  Result<void> operator()(const AddFinalizer& action) const {
    ClusterGroupUpgrade next = *action.rollout;
    next.metadata.finalizers.emplace_back(kFinalizer);
    if (action.sets_default_timeout) next.spec.remediation_strategy.timeout = kDefaultTimeout;
    FAIRWAY_CHECKED(fleet.store(*action.rollout, std::move(next)));
    fleet.events.insert(fleet.events.end(), action.events.begin(), action.events.end());
    return {};
  }
  Result<void> operator()(const RemoveFinalizer& action) const {
    ClusterGroupUpgrade next = *action.rollout;
    next.metadata.finalizers.clear();
    const std::string name = next.metadata.name;
    FAIRWAY_CHECKED(fleet.store(*action.rollout, std::move(next)));
    fleet.rollouts.erase(name);
    return {};
  }
  Result<void> operator()(const EnsurePlacement& action) const { return fleet.create_object(action.object); }
  Result<void> operator()(const EnsureBinding& action) const { return fleet.create_object(action.object); }
  Result<void> operator()(const CreateWork& action) const { return fleet.create_object(action.object); }
  Result<void> operator()(const RepairOwned& action) const {
    return fleet.patch_object(action.kind, action.key, action.resource_version, action.patch);
  }
  Result<void> operator()(const SetPlacementClusters& action) const {
    return fleet.patch_object(action.kind, action.key, action.resource_version, action.patch);
  }
  Result<void> operator()(const DeleteOwned& action) const {
    const auto found = fleet.objects.find(key_text(action.kind, action.key));
    if (found == fleet.objects.end()) return {};
    if (kube::uid_of(*found->second) != action.uid) return fail(ErrorCode::Conflict, "another object");
    fleet.objects.erase(found);
    return {};
  }
  Result<void> operator()(const CreateRollback& action) const {
    const std::string& name = action.rollout.metadata.name;
    if (!fleet.rollouts.contains(name)) fleet.create(name, action.rollout.spec);
    return {};
  }
  Result<void> operator()(const PatchManagedCluster& action) const {
    const auto found = fleet.clusters->find(action.name);
    if (found == fleet.clusters->end()) return {};
    auto next = std::make_shared<ClusterTable>(*fleet.clusters);
    if (const json::Object* labels = json::get_object(action.patch, {"metadata", "labels"})) {
      for (const auto& each : *labels) {
        if (each.value().is_null()) {
          (*next)[action.name].erase(std::string(each.key()));
        } else {
          (*next)[action.name][std::string(each.key())] = std::string(json::view(each.value().get_string()));
        }
      }
    }
    fleet.clusters = std::move(next);
    return {};
  }
};

Result<void> SimulatedFleet::act(const Action& action) {
  ++writes;
  return std::visit(Act{*this}, action);
}

std::string SimulatedFleet::settle(const std::string& name) {
  std::string done;
  for (int round = 0; round < 100; ++round) {
    const kube::Plan<Action> plan = decide(observe(name));
    if (plan.actions.empty()) return done;
    for (const Action& each : plan.actions) {
      done += describe(each) + "\n";
      if (!act(each)) break;
    }
  }
  return done + "there is always more to do\n";
}

std::string SimulatedFleet::condition(const std::string& name, std::string_view type) const {
  const kube::Condition* found = kube::find_condition(status(name).conditions, type);
  return found == nullptr ? "absent" : found->status + " " + found->reason;
}

std::string SimulatedFleet::message(const std::string& name, std::string_view type) const {
  const kube::Condition* found = kube::find_condition(status(name).conditions, type);
  return found == nullptr ? "absent" : found->message;
}

std::string SimulatedFleet::progress(const std::string& name) const {
  const RolloutProgress& at = status(name).status;
  std::vector<std::string> parts;
  for (const auto& [cluster, each] : at.current_batch_remediation_progress) {
    const auto index = each.policy_index ? each.policy_index : each.manifest_work_index;
    parts.push_back(cluster + " " + (index ? std::to_string(*index) : "done"));
  }
  return fmt::format("{}: {}", at.current_batch, join(parts, ", "));
}

std::string SimulatedFleet::rows(const std::string& name) const {
  std::vector<std::string> parts;
  for (const ClusterRow& each : status(name).clusters)
    parts.push_back(each.name + " " + each.state +
                    (each.current_policy ? " " + each.current_policy->name : "") +
                    (each.current_manifest_work ? " " + each.current_manifest_work->name : ""));
  return join(parts, ", ");
}

std::string SimulatedFleet::table() const {
  std::string text;
  std::map<std::string, std::set<std::string>> enforced;
  for (const auto& [name, policy] : policies) enforced[name] = enforced_on(name);
  for (const auto& [cluster, labels] : *clusters) {
    for (const auto& [name, policy] : policies) {
      const auto row = policy.rows.find(cluster);
      if (row == policy.rows.end()) continue;
      text += fmt::format("{} {} {} {}\n", cluster, name,
                          enforced[name].contains(cluster) ? "enforce" : "inform", to_string(row->second));
    }
  }
  return text;
}

}  // namespace fairway::fleet::testing
