#include "fleet/hub/rollout_jobs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

#include "fleet/hub/install_plans.hpp"
#include "fleet/hub/kinds.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/rollout_index.hpp"
#include "fleet/hub/waking.hpp"
#include "fleet/phase.hpp"
#include "fleet/placements.hpp"

namespace fairway::fleet {
namespace {

constexpr const char* kJobIndex = "job-of";

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

Task<void> create_job_object(kube::Client& client, json::Object object) {
  const kube::ResourceType& type = type_of(object);
  FAIRWAY_CO_CHECKED(co_await create_object(client, type, std::move(object)));
  co_return Result<void>{};
}

Task<void> write_states(kube::Client& client, kube::ObjectKey key, std::string version, json::Object status) {
  FAIRWAY_CO_CHECKED(co_await patch_seen(client, kRollouts.at(key, "status"), version, std::move(status)));
  co_return Result<void>{};
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
  if (rollout) work.version = rollout->metadata.resource_version;
  const Phase phase = phase_of(rollout.get());
  const bool is_over = std::holds_alternative<phase::Gone>(phase) ||
                       std::holds_alternative<phase::Deleting>(phase) ||
                       std::holds_alternative<phase::Finished>(phase);
  if (is_over) {
    work.remove = all_of(key);
    std::erase_if(work.remove, [](const auto& each) { return kube::is_being_deleted(*each); });
    return work;
  }
  if (rollout->spec.backup && rollout->status.backup)
    follow(*rollout, kBackupJob, *rollout->status.backup, "backup", work);
  if (rollout->spec.pre_caching && rollout->status.precaching)
    follow(*rollout, kPrecacheJob, *rollout->status.precaching, "precaching", work);
  if (rollout->status.managed_policies_content.empty()) return work;
  ApprovalStep approvals = approve_plans(*rollout, all_of(key), runtime_.client().clock().now());
  std::ranges::move(approvals.create, std::back_inserter(work.create));
  std::ranges::move(approvals.remove, std::back_inserter(work.remove));
  return work;
}

std::vector<kube::PlannedStep> RolloutJobs::steps_of(const kube::ObjectKey& key, Work work) {
  kube::Client& client = runtime_.client();
  std::vector<kube::PlannedStep> steps;
  const auto named = [](std::string_view verb, const json::Object& object) {
    return fmt::format("{} {} {}", verb, kube::kind_of(object), kube::key_of(object).to_string());
  };
  // On each cluster in their order: a namespace before what is in it.
  std::map<std::string, std::size_t, std::less<>> made;
  std::size_t last = 0;
  for (json::Object& each : work.create) {
    const std::size_t stage = made[std::string(kube::namespace_of(each))]++;
    last = std::max(last, stage);
    steps.push_back({.description = named("create", each),
                     .stage = stage,
                     .act = [&client, each = std::move(each)] { return create_job_object(client, each); }});
  }
  // Before anything goes that the states were read from.
  if (!work.status.empty()) {
    steps.push_back(
        {.description = fmt::format("write the states of the jobs of {}", key.to_string()),
         .stage = last + 1,
         .act = [&client, key, version = std::move(work.version), status = std::move(work.status)] {
           return write_states(client, key, version, status);
         }});
  }
  for (const auto& each : work.remove) {
    steps.push_back({.description = named("remove", *each), .stage = last + 2, .act = [&client, each] {
                       return remove_seen(client, type_of(*each).at(kube::key_of(*each)),
                                          std::string(kube::uid_of(*each)));
                     }});
  }
  return steps;
}

Task<kube::ReconcileResult> RolloutJobs::reconcile(kube::ObjectKey key) {
  kube::PlanExecutor executor(runtime_.client().clock(),
                              {.concurrency = 8, .max_retries = 0, .on_step = log_quietly});
  FAIRWAY_CO_TRY(const kube::ExecutionReport report, co_await executor.execute(steps_of(key, decide(key))));
  if (report.error) co_return std::unexpected(*report.error);
  co_return kube::ReconcileResult{};
}

}  // namespace fairway::fleet
