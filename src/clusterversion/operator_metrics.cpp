#include "clusterversion/operator_metrics.hpp"

#include <algorithm>

namespace fairway::clusterversion {
namespace {

double seconds(WallTime time) {
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

double seconds(const std::optional<WallTime>& time) {
  return time ? seconds(*time) : 0;
}

}  // namespace

OperatorMetrics::OperatorMetrics(metrics::Registry& registry, Object object)
    : object_(std::move(object)),
      versions_(registry.gauge("cluster_version",
                               "Releases of the cluster by their role; the value is a time in seconds",
                               {"type", "version", "image", "from_version"})),
      available_(registry.gauge("cluster_version_available_updates",
                                "Updates that are recommended for the cluster", {"upstream", "channel"})),
      conditional_(registry.gauge("cluster_version_conditional_update_condition_seconds",
                                  "Since when a condition of a conditional update has its status",
                                  {"version", "condition", "status", "reason"})),
      risks_(registry.gauge("cluster_version_risk_conditions",
                            "Whether a risk applies: 1 yes, 0 no, -1 cannot be told",
                            {"condition", "risk", "reason"})),
      conditions_(registry.gauge("cluster_operator_conditions",
                                 "Conditions of the cluster version: 1 true, 0 false",
                                 {"name", "condition", "reason"})),
      retrieved_at_(registry.gauge("cluster_version_operator_update_retrieval_timestamp_seconds",
                                   "When updates were last retrieved, or what is asked for was changed",
                                   {"name"})),
      fetches_(registry.counter("fairway_cluster_version_fetches_total",
                                "Retrievals of the graph by reason of failure", {"reason"})),
      queries_(registry.counter("fairway_cluster_version_queries_total", "PromQL queries by outcome",
                                {"outcome"})),
      left_out_(registry.counter("fairway_cluster_version_left_out_total",
                                 "Targets of a retrieved graph that could not be offered, by cause",
                                 {"cause"})),
      writes_(registry.counter("fairway_cluster_version_status_writes_total",
                               "Writes of the status by outcome", {"outcome"})),
      manifests_(registry.counter("fairway_cluster_version_manifests_total", "Manifests applied by outcome",
                                  {"outcome"})),
      collector_(registry.on_collect([this] { collect(); })) {}

void OperatorMetrics::fetched(std::string_view failure) {
  fetches_.with({std::string(failure)}).add();
}

void OperatorMetrics::settled(WallTime when) {
  retrieved_at_.with({""}).set(seconds(when));
}

void OperatorMetrics::asked(std::string_view outcome) {
  queries_.with({std::string(outcome)}).add();
}

void OperatorMetrics::left_out(std::string_view cause) {
  left_out_.with({std::string(cause)}).add();
}

void OperatorMetrics::wrote(bool is_accepted) {
  writes_.with({is_accepted ? "written" : "refused"}).add();
}

void OperatorMetrics::applied(bool is_accepted) {
  manifests_.with({is_accepted ? "applied" : "failed"}).add();
}

void OperatorMetrics::collect_versions(const ClusterVersion& object) {
  const ClusterVersionStatus& status = object.status;
  const auto completed = std::ranges::find(status.history, kCompleted, &HistoryEntry::state);
  const bool has_completed = completed != status.history.end();
  const std::string from = has_completed ? completed->version : "";
  const Release& desired = status.desired;
  if (!status.history.empty()) {
    const HistoryEntry& newest = status.history.front();
    const HistoryEntry& oldest = status.history.back();
    versions_.set({"current", desired.version, desired.image, from}, seconds(newest.started_time));
    versions_.set({"initial", oldest.version, oldest.image, ""}, seconds(oldest.started_time));
    if (newest.state != kCompleted)
      versions_.set({"updating", newest.version, newest.image, from}, seconds(newest.started_time));
  }
  if (has_completed)
    versions_.set({"completed", completed->version, completed->image, ""},
                  seconds(completed->completion_time.time));
  const double created =
      object.metadata.creation_timestamp ? seconds(*object.metadata.creation_timestamp) : 0;
  versions_.set({"cluster", desired.version, desired.image, ""}, created);
  if (object.spec.desired_update) {
    const DesiredUpdate& wanted = *object.spec.desired_update;
    versions_.set({"desired", wanted.version, wanted.image, from}, created);
  }
  const auto* failing = kube::find_condition(status.conditions, "Failing");
  if (failing != nullptr && failing->status == kube::kConditionTrue)
    versions_.set({"failure", desired.version, desired.image, from}, seconds(failing->last_transition_time));
}

void OperatorMetrics::collect_updates(const ClusterVersion& object) {
  const bool was_retrieved = kube::is_condition_true(object.status.conditions, "RetrievedUpdates");
  const std::string& upstream = object.spec.upstream;
  if (!upstream.empty() || !object.status.available_updates.empty() || was_retrieved) {
    available_.set({upstream.empty() ? "<default>" : upstream, object.spec.channel},
                   static_cast<double>(object.status.available_updates.size()));
  }
  for (const ConditionalUpdate& update : object.status.conditional_updates) {
    if (const auto* found = recommended(update)) {
      conditional_.set({update.release.version, found->type, found->status, found->reason},
                       seconds(found->last_transition_time));
    }
  }
  for (const Risk& risk : object.status.conditional_update_risks) {
    for (const kube::Condition& found : risk.conditions) {
      const double value = found.status == kube::kConditionTrue    ? 1
                           : found.status == kube::kConditionFalse ? 0
                                                                   : -1;
      risks_.set({found.type, risk.name, found.reason}, value);
    }
  }
}

void OperatorMetrics::collect_conditions(const ClusterVersion& object) {
  for (const kube::Condition& found : object.status.conditions) {
    if (found.status == kube::kConditionUnknown) continue;
    conditions_.set({"version", found.type, found.reason}, found.status == kube::kConditionTrue ? 1 : 0);
  }
}

void OperatorMetrics::collect() {
  for (metrics::GaugeSet* set : {&versions_, &available_, &conditional_, &risks_, &conditions_}) set->begin();
  if (const auto object = object_()) {
    collect_versions(*object);
    collect_updates(*object);
    collect_conditions(*object);
  }
  for (metrics::GaugeSet* set : {&versions_, &available_, &conditional_, &risks_, &conditions_}) set->end();
}

}  // namespace fairway::clusterversion
