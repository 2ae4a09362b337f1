// Preparing: selection, validation, plan, and what has to be over before the first batch.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "fleet/batches.hpp"
#include "fleet/cluster_actions.hpp"
#include "fleet/draft.hpp"
#include "fleet/gates.hpp"
#include "fleet/progress.hpp"
#include "fleet/validation.hpp"

namespace fairway::fleet {
namespace {

constexpr Duration kBlockedFallback = std::chrono::minutes(1);
constexpr std::string_view kNobodyLeft = "No clusters available for remediation";

class Preparation {
 public:
  explicit Preparation(const Observed& seen) : draft_(seen), spec_(draft_.rollout.spec) {}

  kube::Plan<Action> run() {
    MissingPlacements missing;
    if (select() && validate()) {
      plan_batches_for(selection_.clusters);
      missing = tend_placements(draft_);
      if (passes_precaching() && is_on() && passes_blockers() && passes_backup() && passes_holds()) start();
    }
    // Who is enforced is on record first; those of the first batch can then be named from the beginning.
    if (is_started_) {
      draft_.write();
      make_placements(draft_, with_first_clusters(std::move(missing)));
    } else {
      make_placements(draft_, std::move(missing));
      draft_.write();
    }
    return std::move(draft_.plan);
  }

 private:
  WallTime now() const { return draft_.seen.now; }
  const RolloutControls& controls() const { return controls_of(spec_); }
  void retry(Duration after, std::string why) { draft_.plan.wake(now() + after, std::move(why)); }

  // Told when it is new.
  void tell_fault(std::string_view condition, const std::string& message, std::string_view kind,
                  const std::vector<std::string>& culprits) {
    const kube::Condition* before = kube::find_condition(draft_.rollout.status.conditions, condition);
    if (kind.empty() || (before != nullptr && before->message == message)) return;
    draft_.tell(validation_event(draft_.name(), kind, culprits));
  }

  bool select() {
    selection_ = select_clusters(spec_, *draft_.seen.clusters);
    if (selection_.problem.empty()) {
      keep_rerun_clusters();
      draft_.status.computed_max_concurrency = selection_.max_concurrency;
      draft_.condition(kClustersSelected, true, "ClusterSelectionCompleted",
                       "All selected clusters are valid");
      return true;
    }
    tell_fault(kClustersSelected, selection_.problem, "missing clusters", selection_.missing);
    draft_.condition(kClustersSelected, false, "ClusterNotFound", selection_.problem);
    retry(kFallback, "the clusters may be there");
    return false;
  }

  // A further run may be about those alone that the last one did not finish.
  void keep_rerun_clusters() {
    const auto& asked = draft_.status.rollout.rerun_clusters;
    if (asked.empty()) return;
    const std::set<std::string_view> kept(asked.begin(), asked.end());
    const auto is_out = [&](const std::string& each) { return !kept.contains(each); };
    std::erase_if(selection_.clusters, is_out);
    std::erase_if(selection_.canaries, is_out);
    selection_.max_concurrency = asked_concurrency(spec_, selection_.clusters.size());
  }

  bool validate() {
    if (std::string problem = problem_of(controls()); !problem.empty()) {
      draft_.condition(kValidated, false, "InvalidRolloutControls",
                       fmt::format("Invalid rolloutControls: {}", problem));
      retry(kFallback, "the controls may be valid");
      return false;
    }
    if (rolls_works(spec_)) return validate_works();
    PolicyVerdict verdict =
        validate_policies(spec_, selection_.clusters, draft_.seen.policies, draft_.seen.is_image_found);
    if (!verdict.is_valid()) {
      tell_fault(kValidated, verdict.message, verdict.kind, verdict.culprits);
      draft_.condition(kValidated, false, verdict.reason, verdict.message);
      retry(verdict.retry, "the policies may be valid");
      return false;
    }
    draft_.condition(kValidated, true, "ValidationCompleted", "Completed validation");
    draft_.status.managed_policies_for_upgrade = std::move(verdict.for_upgrade);
    draft_.status.managed_policies_compliant_before_upgrade = std::move(verdict.compliant_before);
    draft_.status.managed_policies_ns = std::move(verdict.namespaces);
    draft_.status.managed_policies_content = std::move(verdict.content);
    path_ = Path(draft_.seen, draft_.status);
    return true;
  }

  bool validate_works() {
    draft_.status.managed_policies_for_upgrade.clear();
    draft_.status.managed_policies_compliant_before_upgrade.clear();
    draft_.status.managed_policies_ns.clear();
    draft_.status.managed_policies_content.clear();
    const std::vector<std::string> missing = missing_templates(spec_, draft_.seen.templates);
    if (!missing.empty()) {
      draft_.condition(kValidated, false, "NotAllManifestTemplatesExist",
                       fmt::format("Missing manifest templates: [{}]", fmt::join(missing, " ")));
      retry(kBlockedFallback, "the templates may be there");
      return false;
    }
    draft_.condition(kValidated, true, "ValidationCompleted", "Completed validation");
    path_ = Path(draft_.seen, draft_.status);
    return true;
  }

  BatchShape shape_for(std::size_t clusters) const {
    BatchShape shape{
        .max_concurrency = std::min(selection_.max_concurrency, static_cast<std::int64_t>(clusters)),
        .is_one_batch = controls().rolling};
    for (const json::Value& each : controls().batch_sizes)
      shape.sizes.push_back(amount_of(each, selection_.clusters.size()).value_or(1));
    if (const auto& topology = controls().topology) {
      shape.max_per_place = topology->max_per_value;
      shape.place_of = [this, &label = topology->spread_by](const std::string& cluster) {
        const kube::Labels& labels = draft_.seen.clusters->at(cluster);
        const auto found = labels.find(label);
        return found == labels.end() ? std::string() : found->second;
      };
    }
    return shape;
  }

  // For those of the selection that are still in it.
  void plan_batches_for(const std::vector<std::string>& clusters) {
    const std::set<std::string_view> kept(clusters.begin(), clusters.end());
    std::vector<std::string> canaries;
    std::ranges::copy_if(selection_.canaries, std::back_inserter(canaries),
                         [&](const std::string& each) { return kept.contains(each); });
    batches_ = plan_batches(clusters, canaries, shape_for(clusters.size()),
                            [&](const std::string& each) { return path_.needs_work(each); });
    draft_.status.remediation_plan = batches_.batches;
    draft_.status.rollout.canary_batches = batches_.canary_batches;
  }

  // Without those whose job has failed.
  std::vector<std::string> planned_clusters() const {
    std::vector<std::string> all;
    for (const Batch& batch : batches_.batches) {
      std::ranges::copy_if(batch, std::back_inserter(all),
                           [&](const std::string& each) { return !dropped_.contains(each); });
    }
    return all;
  }

  bool passes_gate(const GateWords& words, std::optional<JobStatus>& jobs) {
    GateVerdict verdict = judge_gate(words, jobs, planned_clusters(), now());
    jobs = std::move(verdict.jobs);
    draft_.condition(words.condition, verdict.is_true, verdict.reason, verdict.message);
    if (verdict.ends_at) draft_.plan.wake(*verdict.ends_at, "a job on a cluster takes too long");
    if (verdict.is_open && !verdict.is_true)
      failure_ = fmt::format("{} ({} failed)", kNobodyLeft, words.subject);
    dropped_.insert(verdict.failed.begin(), verdict.failed.end());
    return verdict.is_open;
  }

  bool passes_precaching() {
    if (!spec_.pre_caching || batches_.batches.empty()) return true;
    if (!draft_.seen.precache_problem.empty()) {
      draft_.condition("PrecacheSpecValid", false, "PrecacheSpecIncomplete",
                       "Precaching spec is incomplete: " + draft_.seen.precache_problem);
      retry(kFallback, "the pre-cache spec may be complete");
      return false;
    }
    draft_.condition("PrecacheSpecValid", true, "PrecacheSpecIsWellFormed",
                     "Precaching spec is valid and consistent");
    return passes_gate(kPrecachingGate, draft_.status.precaching);
  }

  bool is_on() {
    if (is_enabled(draft_.rollout)) {
      const bool is_new = !draft_.status.rollout.enabled_at && !draft_.status.status.started_at;
      if (is_new) draft_.tell(started_event(draft_.name(), draft_.status));
      if (draft_.seen.settings->is_budget_from_enable && !draft_.status.status.started_at)
        draft_.status.status.started_at = whole_seconds(now());
      return true;
    }
    draft_.condition(kProgressing, false, "NotEnabled", "Not enabled");
    retry(kFallback, "the rollout may be enabled");
    return false;
  }

  // From here on it counts as enabled, and its time has not begun.
  void hold(std::string_view reason, std::string message) {
    draft_.condition(kProgressing, false, reason, std::move(message));
    auto& enabled_at = draft_.status.rollout.enabled_at;
    if (!enabled_at) enabled_at = whole_seconds(now());
  }

  bool passes_blockers() {
    const BlockingVerdict verdict = judge_blockers(draft_.rollout, draft_.seen.others);
    if (verdict.reason.empty()) return true;
    hold(verdict.reason, verdict.message);
    retry(kBlockedFallback, "the blocking rollouts may have ended");
    return false;
  }

  bool passes_backup() {
    if (!failure_.empty() || !spec_.backup || batches_.batches.empty()) return true;
    if (passes_gate(kBackupGate, draft_.status.backup)) return true;
    hold("NotStarted", "Cluster backup is in progress");
    return false;
  }

  // Before the first batch: pauses, the earliest start, windows, approvals.
  bool passes_holds() {
    const auto hold = hold_of(draft_.rollout, draft_.status, 1, now());
    if (!hold || batches_.batches.empty() || !failure_.empty()) return true;
    this->hold("Paused", fmt::format("Rollout paused by {}", hold->cause));
    if (hold->until) draft_.plan.wake(*hold->until, "the rollout may start");
    retry(kFallback, "an event may have been lost");
    return false;
  }

  std::vector<std::string> survivors() {
    std::vector<std::string> kept;
    std::ranges::copy_if(selection_.clusters, std::back_inserter(kept),
                         [&](const std::string& each) { return !dropped_.contains(each); });
    if (!failure_.empty() || !filters_clusters(draft_.rollout)) return kept;
    kept = complete_in_blockers(draft_.rollout, draft_.seen.others, kept);
    if (kept.empty())
      failure_ = fmt::format("{} after filtering out non-completed clusters from blocking CGUs", kNobodyLeft);
    return kept;
  }

  void start() {
    const std::vector<std::string> kept = survivors();
    if (!failure_.empty()) return draft_.end(false, "Completed", "Failed", failure_);
    plan_batches_for(kept);
    auto& started_at = draft_.status.status.started_at;
    if (!started_at) started_at = whole_seconds(now());
    for (const std::string& each : batches_.compliant) complete_cluster(draft_, each);
    if (batches_.batches.empty()) {
      return draft_.end(true, "Completed", "Completed",
                        "All clusters already compliant with the specified managed policies");
    }
    const json::Object patch =
        cluster_patch(spec_.actions ? spec_.actions->before_enable : std::optional<ClusterActions>());
    for (const std::string& each : planned_clusters()) {
      if (!patch.empty()) draft_.act(PatchManagedCluster{each, patch});
    }
    draft_.condition(kProgressing, true, "InProgress", std::string(words_of(spec_).in_progress));
    open_batch(draft_, 1);
    is_started_ = true;
  }

  // All begin with the first policy.
  MissingPlacements with_first_clusters(MissingPlacements missing) const {
    std::vector<std::string> started;
    const auto& progress = draft_.status.status.current_batch_remediation_progress;
    for (const std::string& each : draft_.status.remediation_plan.front()) {
      if (progress.at(each).state == ProgressState::InProgress) started.push_back(each);
    }
    for (auto& [policy, placement] : missing.placements) {
      if (policy == draft_.status.managed_policies_for_upgrade.front() && !started.empty())
        name_clusters(placement, started, fence_of(draft_.status));
    }
    return missing;
  }

  Draft draft_;
  const ClusterGroupUpgradeSpec& spec_;
  Selection selection_;
  Path path_;
  BatchPlan batches_;
  std::set<std::string> dropped_;
  std::string failure_;      // why nobody is left
  bool is_started_ = false;  // with the first batch
};

}  // namespace

kube::Plan<Action> decide_preparing(const Observed& seen) {
  return Preparation(seen).run();
}

}  // namespace fairway::fleet
