#include "fleet/hub/rollout_jobs.hpp"

#include <algorithm>

#include "fleet/hub/kinds.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/rollout_index.hpp"
#include "fleet/phase.hpp"
#include "fleet/placements.hpp"

namespace fairway::fleet {
namespace {

constexpr const char* kJobIndex = "job-of";

std::vector<kube::ObjectKey> rollout_of(const json::Object& object) {
  const auto name = kube::label(object, kRolloutLabel);
  const auto ns = kube::label(object, kRolloutNamespaceLabel);
  if (!name || !ns) return {};
  return {{std::string(*ns), std::string(*name)}};
}

std::vector<std::string> job_values(const json::Object& object) {
  std::vector<std::string> values;
  for (const kube::ObjectKey& key : rollout_of(object)) {
    values.push_back(key.to_string());
    values.push_back(key.to_string() + "@" + std::string(kube::namespace_of(object)));
  }
  return values;
}

const kube::ResourceType& type_of(const json::Object& object) {
  return kube::kind_of(object) == kClusterViews.kind.kind ? kClusterViews : kClusterActions;
}

}  // namespace

RolloutJobs::RolloutJobs(kube::Runtime& runtime, metrics::Registry& registry)
    : runtime_(runtime),
      registry_(registry),
      rollouts_(runtime.cache<ClusterGroupUpgrade>()),
      policies_(runtime.cache(kPolicies)) {}

RolloutJobs::~RolloutJobs() = default;

Task<void> RolloutJobs::prepare() {
  kube::Client& client = runtime_.client();
  FAIRWAY_CO_TRY(const bool has_views, co_await has_kind(client, kClusterViews));
  FAIRWAY_CO_TRY(const bool has_actions, co_await has_kind(client, kClusterActions));
  FAIRWAY_CO_TRY(const bool has_configs, co_await has_kind(client, kPreCachingConfigs));
  if (has_configs) configs_ = &runtime_.cache(kPreCachingConfigs);
  if (!has_views || !has_actions) co_return Result<void>{};
  controller_ = &runtime_.add_controller({.name = "fleet-jobs", .workers = 4, .metrics = &registry_},
                                         [this](kube::ObjectKey key) { return reconcile(std::move(key)); });
  const kube::Selection ours{.label_selector = std::string(kRolloutLabel)};
  views_ = &runtime_.cache(kClusterViews, ours);
  actions_ = &runtime_.cache(kClusterActions, ours);
  for (kube::ObjectCache* each : {views_, actions_}) {
    each->add_index(kJobIndex, job_values);
    controller_->watch<json::Object>(*each, rollout_of);
  }
  controller_->watch<ClusterGroupUpgrade>(rollouts_);
  co_return Result<void>{};
}

PrecacheSpec RolloutJobs::precache_spec_of(const ClusterGroupUpgrade& rollout,
                                           const std::vector<kube::ObjectKey>& roots) const {
  std::vector<std::shared_ptr<const json::Object>> policies;
  const auto add = [&](const kube::ObjectKey& key) {
    if (auto root = policies_.get(key)) policies.push_back(std::move(root));
  };
  for (const PolicyReference& each : rollout.status.managed_policies_for_upgrade)
    add({each.namespace_, each.name});
  if (rollout.status.managed_policies_for_upgrade.empty()) std::ranges::for_each(roots, add);
  const auto named = precaching_config_of(rollout);
  const auto config =
      named && configs_ != nullptr ? configs_->get({named->namespace_, named->name}) : nullptr;
  return precache_spec(rollout, policies, config.get());
}

std::vector<std::shared_ptr<const json::Object>> RolloutJobs::all_of(const kube::ObjectKey& key) const {
  auto all = views_->by_index(kJobIndex, key.to_string());
  const auto actions = actions_->by_index(kJobIndex, key.to_string());
  all.insert(all.end(), actions.begin(), actions.end());
  std::erase_if(all, [](const auto& each) { return kube::is_being_deleted(*each); });
  return all;
}

ClusterObjects RolloutJobs::objects_of(const kube::ObjectKey& key, std::string_view cluster) const {
  ClusterObjects found;
  const std::string value = key.to_string() + "@" + std::string(cluster);
  for (const kube::ObjectCache* cache : {views_, actions_}) {
    for (auto& each : cache->by_index(kJobIndex, value)) {
      std::string name(kube::name_of(*each));
      found.emplace(std::move(name), std::move(each));
    }
  }
  return found;
}

void RolloutJobs::follow(const ClusterGroupUpgrade& rollout, const JobKind& kind, const JobStatus& jobs,
                         std::string_view member, Work& work) const {
  const kube::ObjectKey key{rollout.metadata.namespace_, rollout.metadata.name};
  PrecacheSpec spec;
  if (kind.name == kPrecacheJob.name) spec = precache_spec_of(rollout);
  if (!spec.spec.empty() && jobs.unknown.if_contains("spec") == nullptr)
    json::ensure_object(work.status, {"status", member})["spec"] = spec.spec;
  for (const auto& [cluster, state] : jobs.status) {
    const ClusterObjects seen = objects_of(key, cluster);
    if (!is_running(state) && seen.empty()) continue;
    const JobRequest request{
        .rollout = rollout,
        .kind = kind,
        .cluster = cluster,
        .image = spec.job_image,
        .config_map = spec.spec.empty() ? json::Object() : precache_config_map(spec.spec)};
    JobStep step = next_step(request, state, seen);
    work.create.insert(work.create.end(), step.create.begin(), step.create.end());
    work.remove.insert(work.remove.end(), step.remove.begin(), step.remove.end());
    if (step.state != state)
      json::ensure_object(work.status, {"status", member, "status"})[cluster] = step.state;
  }
}

RolloutJobs::Work RolloutJobs::decide(const kube::ObjectKey& key) const {
  Work work;
  const auto rollout = rollouts_.get(key);
  const Phase phase = phase_of(rollout.get());
  const bool is_over = std::holds_alternative<phase::Gone>(phase) ||
                       std::holds_alternative<phase::Deleting>(phase) ||
                       std::holds_alternative<phase::Finished>(phase);
  if (is_over) {
    work.remove = all_of(key);
    return work;
  }
  if (rollout->spec.backup && rollout->status.backup)
    follow(*rollout, kBackupJob, *rollout->status.backup, "backup", work);
  if (rollout->spec.pre_caching && rollout->status.precaching)
    follow(*rollout, kPrecacheJob, *rollout->status.precaching, "precaching", work);
  return work;
}

Task<kube::ReconcileResult> RolloutJobs::reconcile(kube::ObjectKey key) {
  const auto rollout = rollouts_.get(key);
  Work work = decide(key);
  kube::Client& client = runtime_.client();
  for (json::Object& each : work.create) {
    const kube::ResourceType& type = type_of(each);
    FAIRWAY_CO_CHECKED(co_await create_object(client, type, std::move(each)));
  }
  // Before anything goes that the states were read from.
  if (rollout && !work.status.empty()) {
    FAIRWAY_CO_CHECKED(co_await patch_seen(client, kRollouts.at(key, "status"),
                                           rollout->metadata.resource_version, std::move(work.status)));
  }
  for (const auto& each : work.remove)
    FAIRWAY_CO_CHECKED(co_await remove_seen(client, type_of(*each).at(kube::key_of(*each)),
                                            std::string(kube::uid_of(*each))));
  co_return kube::ReconcileResult{};
}

}  // namespace fairway::fleet
