#include "ingress/decide.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/admission.hpp"
#include "ingress/conditions.hpp"
#include "ingress/judgement.hpp"
#include "ingress/operands.hpp"

namespace fairway::ingress {
namespace {

constexpr Duration kPodRecheck = std::chrono::seconds(15);

kube::ObjectKey key_in(std::string_view ns, std::string name) {
  return {std::string(ns), std::move(name)};
}

// Bound to exactly what was judged.
DeleteService deletion_of_service(const Observed& seen, Consent consent) {
  return {.controller = seen.controller,
          .key = kube::key_of(*seen.service),
          .uid = std::string(kube::uid_of(*seen.service)),
          .resource_version = std::string(kube::resource_version_of(*seen.service)),
          .consent = consent,
          .address = address_of(*seen.service)};
}

// The decision about a living, admitted controller.
class Judge {
 public:
  explicit Judge(const Observed& seen)
      : seen_(seen),
        controller_(*seen.controller),
        wanted_(wanted_load_balancer(controller_, seen.config)),
        service_(judge_service(seen, wanted_)),
        strategy_(wanted_strategy(controller_, seen.config, live_service())) {
    judge_status();
  }

  const IngressControllerStatus& status() const { return status_; }

  kube::Plan<Action> plan() {
    plan_.conditions = conditions_.conditions;
    if (status_ != controller_.status) act(WriteStatus{seen_.controller, status_});
    if (conditions_.wake_at) plan_.wake(*conditions_.wake_at, conditions_.wake_reason);
    if (!seen_.operand_namespace) act(CreateOperand{operand_namespace()});
    ensure(seen_.config_map.get(), router_config(controller_, strategy_, *seen_.config.platform));
    ensure(seen_.deployment.get(), router_deployment(controller_, strategy_, seen_.config, *seen_.settings));
    // What follows belongs to the Deployment, and so waits for it.
    const bool has_router = seen_.deployment && is_owned(*seen_.deployment, controller_.metadata.name) &&
                            !kube::is_being_deleted(*seen_.deployment);
    if (!has_router) return std::move(plan_);
    plan_service();
    plan_record();
    plan_internal_services();
    return std::move(plan_);
  }

 private:
  const json::Object* live_service() const {
    return service_.state == ServiceState::Live ? &service_.after : nullptr;
  }

  void judge_status() {
    status_ = controller_.status;
    status_.endpoint_publishing_strategy = strategy_;
    status_.selector = router_selector(controller_.metadata.name);
    const auto available =
        seen_.deployment ? json::get_int(*seen_.deployment, {"status", "availableReplicas"}).value_or(0) : 0;
    status_.available_replicas = static_cast<std::int32_t>(available);
    conditions_ = judge_conditions(seen_, strategy_, wanted_, service_);
    status_.conditions = conditions_.conditions;
  }

  void act(Action action) { plan_.actions.push_back(std::move(action)); }
  void note(std::string text) { plan_.notes.push_back(std::move(text)); }
  kube::OwnerReference owner() const { return kube::controller_reference(*seen_.deployment); }

  // Made when missing; changed when it is ours and does not follow the controller.
  void ensure(const json::Object* have, const json::Object& want) {
    if (have == nullptr) return act(CreateOperand{want});
    const std::string kind(kube::kind_of(want));
    const kube::ObjectKey key = kube::key_of(want);
    if (!is_owned(*have, controller_.metadata.name))
      return note(fmt::format("the {} {} is not this controller's and is left alone", kind, key.to_string()));
    if (kube::is_being_deleted(*have)) return;
    json::Object patch = operand_patch(*have, want);
    if (patch.empty()) return;
    act(UpdateOperand{kind, key, std::string(kube::resource_version_of(*have)), std::move(patch)});
  }

  // Not together with a new status: what is about to happen is on record first, and the deletion is guarded
  // by the version of the controller that it was judged by.
  void remove_service(Consent consent) {
    if (status_ != controller_.status) return note("the Service is deleted when the status is on record");
    act(deletion_of_service(seen_, consent));
  }

  void plan_service() {
    switch (service_.state) {
      case ServiceState::NotWanted:
        return;
      case ServiceState::Leftover:
        return remove_service(Consent::NotWanted);
      case ServiceState::Missing:
        return create_service();
      case ServiceState::Conflicting:
        return note(fmt::format("the Service {} is not this controller's and is left alone",
                                kube::key_of(*seen_.service).to_string()));
      case ServiceState::Terminating:
        return note("the Service is being deleted; a new one is created when it is gone");
      case ServiceState::Live:
        return update_service();
    }
  }

  void create_service() {
    auto made = desired_service(controller_, *wanted_, seen_.config, owner());
    if (!made) return note(made.error().describe());
    act(CreateService{*std::move(made), scope_of(wanted_->scope)});
  }

  void update_service() {
    if (service_.error) return note(service_.error->describe());
    if (service_.permission.is_given()) return remove_service(Consent::AutoDelete);
    if (service_.permission.opens) plan_.wake(*service_.permission.opens, "the window for deleting opens");
    for (const Difference& each : service_.differences)
      note(fmt::format("only a new Service resolves a difference: have {}, want {}", quoted(each.have),
                       quoted(each.want)));
    if (service_.patch.empty()) return;
    act(UpdateService{kube::key_of(*seen_.service), std::string(kube::resource_version_of(*seen_.service)),
                      service_.patch});
  }

  void plan_record() {
    const std::string address =
        service_.state == ServiceState::Live ? address_of(service_.after) : std::string();
    if (const auto want = wildcard_record(seen_, strategy_, address)) ensure(seen_.record.get(), *want);
  }

  void plan_internal_services() {
    ensure(seen_.internal_service.get(), internal_service(controller_, owner()));
    if (strategy_.type == kNodePortService)
      ensure(seen_.node_port_service.get(), node_port_service(controller_, owner()));
  }

  const Observed& seen_;
  const IngressController& controller_;
  std::optional<LoadBalancerStrategy> wanted_;
  ServiceJudgement service_;
  PublishingStrategy strategy_;
  JudgedConditions conditions_;
  IngressControllerStatus status_;
  kube::Plan<Action> plan_;
};

bool is_ours(const Observed::Object& object, const IngressController& controller) {
  return object && is_owned(*object, controller.metadata.name);
}

// Record, Deployment, Service, pods: each when the one before it is gone; then the controller may go.
kube::Plan<Action> decide_deletion(const Observed& seen) {
  kube::Plan<Action> plan;
  const IngressController& controller = *seen.controller;
  const auto& finalizers = controller.metadata.finalizers;
  if (std::ranges::find(finalizers, kFinalizer) == finalizers.end()) return plan;
  const auto remove = [&](const Observed::Object& object, std::string_view kind) {
    if (kube::is_being_deleted(*object)) {
      plan.notes.push_back(fmt::format("waits until the {} is gone", kind));
    } else {
      plan.actions.emplace_back(
          DeleteOperand{std::string(kind), kube::key_of(*object), std::string(kube::uid_of(*object))});
    }
  };
  if (is_ours(seen.record, controller)) {
    remove(seen.record, "DNSRecord");
  } else if (is_ours(seen.deployment, controller)) {
    remove(seen.deployment, "Deployment");
  } else if (is_ours(seen.service, controller)) {
    // Garbage collection takes it with the Deployment; one that a user has cut loose is taken here.
    if (kube::is_being_deleted(*seen.service)) {
      plan.notes.emplace_back("waits until the Service is gone");
    } else {
      plan.actions.emplace_back(deletion_of_service(seen, Consent::ControllerDeleted));
    }
  } else if (is_ours(seen.config_map, controller)) {
    remove(seen.config_map, "ConfigMap");
  } else if (seen.router_pods > 0) {
    plan.notes.push_back(fmt::format("waits for {} router pods to end", seen.router_pods));
    plan.wake(seen.now + kPodRecheck, "router pods may have ended");
  } else {
    plan.actions.emplace_back(RemoveFinalizer{seen.controller});
  }
  return plan;
}

kube::Plan<Action> decide_absent(const Observed& seen) {
  kube::Plan<Action> plan;
  const bool is_made = seen.key == key_in(kOperatorNamespace, std::string(kDefaultName)) &&
                       seen.config.platform != nullptr && seen.config.control_plane_topology != "External";
  // Without a domain it could not be admitted.
  if (is_made && !seen.config.ingress_domain.empty())
    plan.actions.emplace_back(CreateOperand{default_controller(seen.config)});
  return plan;
}

// Status first; the rest when it is on record.
std::optional<kube::Plan<Action>> decide_admission(const Observed& seen) {
  if (!needs_admission(*seen.controller)) return std::nullopt;
  Admission admission = admit(seen);
  kube::Plan<Action> plan;
  plan.conditions = admission.status.conditions;
  if (admission.status == seen.controller->status) return plan;
  const bool is_outside = admission.is_accepted && seen.controller->status.domain.empty() &&
                          !is_below_base_domain(admission.status.domain, seen.config);
  plan.actions.emplace_back(WriteStatus{seen.controller, std::move(admission.status), is_outside});
  return plan;
}

struct Describe {
  std::string operator()(const WriteStatus& action) const {
    const auto* progressing = kube::find_condition(action.status.conditions, "Progressing");
    const LoadBalancerStrategy* published = load_balancer_of(action.status.endpoint_publishing_strategy);
    return fmt::format(
        "write the status: {}{}",
        published != nullptr ? "scope " + published->scope : std::string("not published by a load balancer"),
        progressing != nullptr && progressing->status == kube::kConditionTrue
            ? ", progressing: " + progressing->reason
            : "");
  }
  std::string operator()(const AddFinalizer& action) const {
    return fmt::format("add the finalizer of {}", action.controller->metadata.name);
  }
  std::string operator()(const RemoveFinalizer& action) const {
    return fmt::format("remove the finalizer of {}", action.controller->metadata.name);
  }
  std::string operator()(const CreateService& action) const {
    return fmt::format("create Service {}, {}", kube::key_of(action.service).to_string(),
                       to_string(action.scope));
  }
  std::string operator()(const UpdateService& action) const {
    return fmt::format("update Service {}: {}", action.key.to_string(), json::serialize(action.patch));
  }
  std::string operator()(const DeleteService& action) const {
    return fmt::format("delete Service {} (uid {}): {}", action.key.to_string(), action.uid,
                       to_string(action.consent));
  }
  std::string operator()(const CreateOperand& action) const {
    return fmt::format("create {} {}", kube::kind_of(action.object), kube::key_of(action.object).to_string());
  }
  std::string operator()(const UpdateOperand& action) const {
    return fmt::format("update {} {}: {}", action.kind, action.key.to_string(),
                       json::serialize(action.patch));
  }
  std::string operator()(const DeleteOperand& action) const {
    return fmt::format("delete {} {}", action.kind, action.key.to_string());
  }
};

}  // namespace

std::string describe(const Action& action) {
  return std::visit(Describe{}, action);
}

std::string_view to_string(Consent consent) {
  switch (consent) {
    case Consent::AutoDelete:
      return "the controller is annotated for it and its spec asks for another one";
    case Consent::NotWanted:
      return "the controller is published in another way";
    case Consent::ControllerDeleted:
      return "the controller is being deleted";
  }
  abort_because("a consent of an unknown kind", __FILE__, __LINE__);
}

IngressControllerStatus wanted_status(const Observed& seen) {
  return Judge(seen).status();
}

kube::Plan<Action> decide(const Observed& seen) {
  if (!seen.controller) return decide_absent(seen);
  const kube::ObjectMeta& metadata = seen.controller->metadata;
  if (metadata.namespace_ != kOperatorNamespace)
    return {
        .notes = {fmt::format("only controllers in the namespace {} are looked after", kOperatorNamespace)}};
  if (metadata.deletion_timestamp) return decide_deletion(seen);
  if (seen.config.platform == nullptr) {
    return {.notes = {fmt::format(
                "the platform {} is not known: Infrastructure \"cluster\" has to say one of ours; "
                "nothing is touched until it does",
                quoted(seen.config.platform_name))}};
  }
  if (auto admission = decide_admission(seen)) return *std::move(admission);
  if (std::ranges::find(metadata.finalizers, kFinalizer) == metadata.finalizers.end()) {
    kube::Plan<Action> plan;
    plan.actions.emplace_back(AddFinalizer{seen.controller});
    return plan;
  }
  return Judge(seen).plan();
}

}  // namespace fairway::ingress
