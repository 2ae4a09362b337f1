#include "ingress/operator_metrics.hpp"

namespace fairway::ingress {
namespace {

double seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

std::string_view cause_of(Consent consent) {
  switch (consent) {
    case Consent::AutoDelete:
      return "auto-delete";
    case Consent::NotWanted:
      return "not-wanted";
    case Consent::ControllerDeleted:
      return "controller-deleted";
  }
  abort_because("a consent of an unknown kind", __FILE__, __LINE__);
}

}  // namespace

OperatorMetrics::OperatorMetrics(metrics::Registry& registry, const Clock& clock, Controllers controllers)
    : clock_(clock),
      controllers_(std::move(controllers)),
      conditions_(registry.gauge("ingress_controller_conditions",
                                 "Conditions of ingress controllers: 1 true, 0 false, -1 unknown",
                                 {"name", "condition"})),
      pending_(registry.gauge("fairway_ingress_scope_change_pending_seconds",
                              "For how long a change of scope has waited: for the administrator "
                              "(ScopeChanged), or for the cloud (ScopeChangeInProgress)",
                              {"name", "reason"})),
      created_(registry.counter("fairway_ingress_services_created_total",
                                "Services of type LoadBalancer that were created")),
      deleted_(registry.counter("fairway_ingress_services_deleted_total",
                                "Services of type LoadBalancer that were deleted, by why it was permitted",
                                {"cause"})),
      collector_(registry.on_collect([this] { collect(); })) {
  created_.with();
  for (const Consent each : {Consent::AutoDelete, Consent::NotWanted, Consent::ControllerDeleted})
    deleted_.with({std::string(cause_of(each))});
}

void OperatorMetrics::acted(const Action& action) {
  if (std::holds_alternative<CreateService>(action)) created_.with().add();
  if (const auto* deleted = std::get_if<DeleteService>(&action))
    deleted_.with({std::string(cause_of(deleted->consent))}).add();
}

void OperatorMetrics::collect() {
  conditions_.begin();
  pending_.begin();
  for (const auto& controller : controllers_()) {
    const std::string& name = controller->metadata.name;
    for (const kube::Condition& each : controller->status.conditions) {
      const double value = each.status == kube::kConditionTrue    ? 1
                           : each.status == kube::kConditionFalse ? 0
                                                                  : -1;
      conditions_.set({name, each.type}, value);
      const bool is_scope = each.reason == "ScopeChanged" || each.reason == "ScopeChangeInProgress";
      if (each.type == "Progressing" && is_scope && each.last_transition_time)
        pending_.set({name, each.reason}, seconds(clock_.now() - *each.last_transition_time));
    }
  }
  conditions_.end();
  pending_.end();
}

}  // namespace fairway::ingress
