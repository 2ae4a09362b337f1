// What the propagator does: children one by one, the roll-up as a whole.
#include <algorithm>

#include "fleet/hub/kinds.hpp"
#include "fleet/hub/policy_controller.hpp"
#include "fleet/hub/requests.hpp"

namespace fairway::fleet {
namespace {

kube::ObjectKey key_of_action(const PolicyAction& action) {
  if (const auto* create = std::get_if<CreateChild>(&action)) return kube::key_of(create->object);
  if (const auto* update = std::get_if<UpdateChild>(&action)) return kube::key_of(update->object);
  if (const auto* deletion = std::get_if<DeleteChild>(&action)) return deletion->key;
  return std::get<WritePolicyStatus>(action).key;
}

}  // namespace

templates::HubFacts PolicyController::facts_for(const PolicyBindings& bound,
                                                const std::string& cluster) const {
  templates::HubFacts facts{.cluster = cluster, .root = *bound.root};
  if (const Cluster found = clusters_.find(cluster)) {
    for (const auto& [key, value] : found->labels) facts.cluster_labels[key] = value;
  }
  return facts;
}

Task<std::vector<PolicyAction>> PolicyController::decide_children(kube::ObjectKey key,
                                                                  std::set<std::string> clusters) {
  // A copy: what is judged stays the same while templates are looked up.
  const PolicyBindings bound = roots_[key].bound;
  const auto enforcement = roots_[key].enforcement;
  const bool has_templates = roots_[key].has_templates;
  const auto table = clusters_.table();
  const std::string name = key.namespace_ + "." + key.name;
  std::vector<PolicyAction> actions;
  for (const std::string& cluster : clusters) {
    // Namespaces that are nobody's, or a person's, are left alone.
    if (!table->contains(cluster)) continue;
    std::optional<json::Object> want;
    if (bound.root) want = wanted_child(bound, *enforcement, *table, cluster);
    if (want && has_templates) {
      FAIRWAY_CO_TRY(json::Object resolved,
                     co_await templates_.resolve(*std::move(want), facts_for(bound, cluster),
                                                 policies_.get({cluster, name})));
      want = std::move(resolved);
    }
    const auto have = policies_.get({cluster, name});
    if (auto action = correct_child(have.get(), std::move(want))) actions.push_back(*std::move(action));
  }
  co_return actions;
}

Task<kube::ReconcileResult> PolicyController::reconcile(kube::ObjectKey key) {
  if (clusters_.contains(key.namespace_)) {
    FAIRWAY_CO_CHECKED(co_await remove_foreign(key));
    co_return kube::ReconcileResult{};
  }
  const auto known = roots_.find(key);
  if (known == roots_.end()) co_return kube::ReconcileResult{};
  Root& root = known->second;
  refresh(key, root);
  std::set<std::string> clusters = std::exchange(root.due, {});
  if (std::exchange(root.is_whole_due, false)) {
    clusters.insert(root.enforcement->bound.begin(), root.enforcement->bound.end());
    for (const auto& [cluster, compliance] : root.children) clusters.insert(cluster);
  }
  auto decided = co_await decide_children(key, clusters);
  if (!decided) {
    root.due.merge(std::move(clusters));
    co_return std::unexpected(std::move(decided.error()));
  }
  std::vector<kube::PlannedStep> steps;
  for (const PolicyAction& action : *decided)
    steps.push_back({.description = describe(action), .act = [this, &action] { return act(action); }});
  kube::PlanExecutor executor(
      runtime_.client().clock(),
      {.concurrency = settings_.children_at_once, .max_retries = 0, .on_step = log_quietly});
  auto report = co_await executor.execute(std::move(steps));
  // Whatever was not done is still due, also when this is the end of the process' work.
  for (std::size_t i = 0; i < decided->size(); ++i) {
    const bool is_done = report && report->steps[i].outcome == kube::StepReport::Outcome::Done;
    if (!is_done) root.due.insert(key_of_action((*decided)[i]).namespace_);
  }
  if (!report) co_return std::unexpected(std::move(report.error()));
  if (report->error) co_return std::unexpected(*report->error);
  if (!root.bound.root && root.children.empty() && root.due.empty() && !root.is_stale) roots_.erase(key);
  co_return kube::ReconcileResult{};
}

Task<void> PolicyController::remove_foreign(kube::ObjectKey key) {
  const auto policy = policies_.get(key);
  if (!policy || kube::is_being_deleted(*policy)) co_return Result<void>{};
  const auto root = root_of(*policy);
  if (root && key.name == root->namespace_ + "." + root->name) co_return Result<void>{};
  co_return co_await remove_seen(runtime_.client(), kPolicies.at(key), std::string(kube::uid_of(*policy)));
}

Task<kube::ReconcileResult> PolicyController::roll_up(kube::ObjectKey key) {
  const auto known = roots_.find(key);
  if (known == roots_.end() || clusters_.contains(key.namespace_)) co_return kube::ReconcileResult{};
  Root& root = known->second;
  const bool was_stale = root.is_stale;
  refresh(key, root);
  if (was_stale) children_->enqueue(key);
  if (!root.bound.root) co_return kube::ReconcileResult{};
  TimerClock& clock = runtime_.client().clock();
  const SteadyTime start = clock.steady();
  if (start < root.rests_until) {
    co_return kube::ReconcileResult{clock.now() + (root.rests_until - start),
                                    "changes of compliance are gathered"};
  }
  root.bound.root = policies_.get(key);
  if (!root.bound.root) co_return kube::ReconcileResult{};
  auto action =
      correct_status(root.bound, *root.enforcement, [&](const std::string& cluster) -> std::string_view {
        const auto child = root.children.find(cluster);
        return child == root.children.end() ? "" : to_string(child->second);
      });
  if (!action) co_return kube::ReconcileResult{};
  auto written = co_await act(*std::move(action));
  if (!written) co_return std::unexpected(std::move(written.error()));
  if (const auto still = roots_.find(key); still != roots_.end())
    still->second.rests_until = start + rest_after_write(clock.steady() - start);
  co_return kube::ReconcileResult{};
}

Task<void> PolicyController::act(PolicyAction action) {
  co_return co_await std::visit([this](auto& one) { return carry_out(std::move(one)); }, action);
}

Task<void> PolicyController::carry_out(CreateChild action) {
  FAIRWAY_CO_CHECKED(co_await create_object(runtime_.client(), kPolicies, std::move(action.object)));
  co_return Result<void>{};
}

Task<void> PolicyController::carry_out(UpdateChild action) {
  const kube::ObjectKey key = kube::key_of(action.object);
  const auto written = co_await runtime_.client().update(kPolicies.at(key), std::move(action.object));
  if (!written) co_return std::unexpected(seen_otherwise(written.error()));
  co_return Result<void>{};
}

Task<void> PolicyController::carry_out(DeleteChild action) {
  co_return co_await remove_seen(runtime_.client(), kPolicies.at(action.key), action.uid);
}

Task<void> PolicyController::carry_out(WritePolicyStatus action) {
  return write_status(runtime_.client(), std::move(action));
}

}  // namespace fairway::fleet
