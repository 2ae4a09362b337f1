#include "ingress/decide_testing.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/consent.hpp"
#include "ingress/judgement.hpp"
#include "ingress/operands.hpp"
#include "ingress/service_keys.hpp"
#include "json/patch.hpp"

namespace fairway::ingress::testing {
namespace {

constexpr std::string_view kCleanup = "service.kubernetes.io/load-balancer-cleanup";
// What nobody but its user may touch, on Services that tests make.
constexpr std::string_view kForeign = "example.test/foreign";

std::string key_of(const json::Object& object) {
  return key_text(kube::kind_of(object), kube::namespace_of(object), kube::name_of(object));
}

json::Object ready_status(std::string_view kind, const json::Object& object) {
  if (kind == "Deployment") {
    const std::int64_t replicas = json::get_int(object, {"spec", "replicas"}).value_or(1);
    json::Object status{{"observedGeneration", 1},
                        {"replicas", replicas},
                        {"updatedReplicas", replicas},
                        {"availableReplicas", replicas}};
    status["conditions"] = json::Array{json::Object{{"type", "Available"}, {"status", "True"}}};
    return status;
  }
  json::Object zone{{"dnsZone", json::Object{{"id", "Z1"}}}};
  zone["conditions"] = json::Array{json::Object{{"type", "Published"}, {"status", "True"}}};
  json::Object status;
  status["zones"] = json::Array{std::move(zone)};
  return status;
}

}  // namespace

std::string key_text(std::string_view kind, std::string_view ns, std::string_view name) {
  return fmt::format("{} {}/{}", kind, ns, name);
}

std::string service_key(const std::string& controller) {
  return key_text("Service", kOperandNamespace, router_name(controller));
}

PublishingStrategy load_balancer(std::string_view scope) {
  return {.type = std::string(kLoadBalancerService),
          .load_balancer = LoadBalancerStrategy{.scope = std::string(scope),
                                                .dns_management_policy = std::string(kManaged)}};
}

SimulatedCluster::SimulatedCluster(std::string_view platform) {
  config.platform = find_platform(platform);
  config.platform_name = std::string(platform);
  config.base_domain = "harbour.example";
  config.ingress_domain = "apps.harbour.example";
  config.has_zones = true;
}

void SimulatedCluster::store(std::string key, json::Object object) {
  json::ensure_object(object, {"metadata"})["resourceVersion"] = next_version();
  objects.insert_or_assign(std::move(key), std::move(object));
}

void SimulatedCluster::put(json::Object object) {
  json::ensure_object(object, {"metadata"})["uid"] = fmt::format("u{}", ++version_);
  const std::string_view kind = kube::kind_of(object);
  if (kind == "Deployment" || kind == "DNSRecord") object["status"] = ready_status(kind, object);
  std::string key = key_of(object);
  store(std::move(key), std::move(object));
}

void SimulatedCluster::create(const std::string& name, std::optional<PublishingStrategy> strategy) {
  IngressController made;
  made.metadata = {.name = name,
                   .namespace_ = std::string(kOperatorNamespace),
                   .uid = fmt::format("u{}", ++version_),
                   .resource_version = next_version(),
                   .generation = 1};
  made.spec.domain = fmt::format("{}.harbour.example", name);
  made.spec.replicas = 2;
  made.spec.endpoint_publishing_strategy = std::move(strategy);
  controllers.insert_or_assign(name, std::make_shared<const IngressController>(std::move(made)));
}

void SimulatedCluster::change(const std::function<void(IngressController&)>& edit, const std::string& name) {
  const auto found = controllers.find(name);
  if (found == controllers.end()) return;
  IngressController edited = *found->second;
  edit(edited);
  if (edited.spec != found->second->spec) ++edited.metadata.generation;
  edited.metadata.resource_version = next_version();
  found->second = std::make_shared<const IngressController>(std::move(edited));
}

void SimulatedCluster::set_scope(std::string_view scope, const std::string& name) {
  change(
      [&](IngressController& edited) {
        auto& strategy = edited.spec.endpoint_publishing_strategy;
        if (!strategy || !strategy->load_balancer) strategy = load_balancer(scope);
        strategy->load_balancer->scope = std::string(scope);
      },
      name);
}

void SimulatedCluster::annotate(std::string_view value, const std::string& name) {
  change([&](IngressController& edited) { edited.metadata.annotations[std::string(kAutoDelete)] = value; },
         name);
}

void SimulatedCluster::withdraw(const std::string& name) {
  change([](IngressController& edited) { edited.metadata.annotations.erase(std::string(kAutoDelete)); },
         name);
}

void SimulatedCluster::remove(const std::string& name) {
  const auto found = controllers.find(name);
  if (found == controllers.end()) return;
  if (found->second->metadata.finalizers.empty()) {
    controllers.erase(found);
    return;
  }
  change([&](IngressController& edited) { edited.metadata.deletion_timestamp = now; }, name);
}

void SimulatedCluster::begin_deletion(const std::string& key) {
  const auto found = objects.find(key);
  if (found == objects.end() || kube::is_being_deleted(found->second)) return;
  const json::Array* finalizers = json::get_array(found->second, {"metadata", "finalizers"});
  if (finalizers == nullptr || finalizers->empty()) {
    objects.erase(found);
    return collect_garbage();
  }
  json::Object going = found->second;
  going["metadata"].get_object()["deletionTimestamp"] = format_rfc3339(now);
  store(key, std::move(going));
}

// What belongs to an object that is gone goes too.
void SimulatedCluster::collect_garbage() {
  std::vector<std::string> orphans;
  for (const auto& [key, object] : objects) {
    const auto owner = kube::controller_of(object);
    if (!owner || owner->kind != "Deployment") continue;
    const bool is_there = std::ranges::any_of(
        objects, [&](const auto& each) { return kube::uid_of(each.second) == owner->uid; });
    if (!is_there) orphans.push_back(key);
  }
  for (const std::string& key : orphans) begin_deletion(key);
}

void SimulatedCluster::delete_service(const std::string& name) {
  begin_deletion(service_key(name));
}

void SimulatedCluster::edit_service(const std::function<void(json::Object&)>& edit, const std::string& name) {
  const auto found = objects.find(service_key(name));
  if (found == objects.end()) return;
  json::Object edited = found->second;
  edit(edited);
  store(service_key(name), std::move(edited));
}

void SimulatedCluster::provision(json::Object& service) {
  const Scope asked = observed_scope(service, *config.platform);
  const std::string uid(kube::uid_of(service));
  const auto had = provisioned_.find(uid);
  const bool is_new = had == provisioned_.end();
  const bool is_changed = !is_new && had->second != asked && config.platform->is_mutable && is_changing;
  if (!is_new && !is_changed) return;
  provisioned_[uid] = asked;
  const std::string_view range = asked == Scope::Internal ? "10.77.0" : "203.0.113";
  json::Array ingress{json::Object{{"ip", fmt::format("{}.{}", range, ++addresses_)}}};
  json::ensure_object(service, {"status", "loadBalancer"})["ingress"] = std::move(ingress);
}

void SimulatedCluster::run_cloud() {
  const auto all = objects;
  for (const auto& [key, object] : all) {
    if (kube::kind_of(object) != "Service" || json::get_string(object, {"spec", "type"}) != "LoadBalancer")
      continue;
    json::Object service = object;
    if (kube::is_being_deleted(service)) {
      if (is_deletion_stuck) continue;
      objects.erase(key);
      continue;
    }
    if (!is_provisioning) continue;
    kube::add_finalizer(service, kCleanup);
    provision(service);
    if (service != object) store(key, std::move(service));
  }
}

Observed SimulatedCluster::observe(const std::string& name) const {
  const auto object = [&](std::string_view kind, std::string_view ns, std::string_view named) {
    const auto found = objects.find(key_text(kind, ns, named));
    return found == objects.end() ? Observed::Object{} : std::make_shared<const json::Object>(found->second);
  };
  Observed seen{.key = {std::string(kOperatorNamespace), name}, .config = config};
  if (const auto found = controllers.find(name); found != controllers.end()) seen.controller = found->second;
  if (seen.controller) {
    const std::string domain = wanted_domain(*seen.controller, config);
    for (const auto& [other, each] : controllers) {
      if (each->metadata.uid != seen.controller->metadata.uid && each->status.domain == domain &&
          kube::is_condition_true(each->status.conditions, "Admitted"))
        seen.domain_rivals.push_back(other);
    }
  }
  seen.operand_namespace = object("Namespace", "", kOperandNamespace);
  seen.config_map = object("ConfigMap", kOperandNamespace, router_name(name));
  seen.deployment = object("Deployment", kOperandNamespace, router_name(name));
  seen.service = object("Service", kOperandNamespace, router_name(name));
  seen.internal_service = object("Service", kOperandNamespace, internal_service_name(name));
  seen.node_port_service = object("Service", kOperandNamespace, node_port_service_name(name));
  seen.record = object("DNSRecord", kOperatorNamespace, record_name(name));
  seen.cloud = cloud;
  seen.router_pods = router_pods;
  seen.service_refusal = service_refusal;
  seen.now = now;
  seen.settings = settings;
  return seen;
}

struct Act {
  SimulatedCluster& world;

  Result<IngressController> current(const IngressController& seen) const {
    const auto found = world.controllers.find(seen.metadata.name);
    if (found == world.controllers.end()) return fail(ErrorCode::NotFound, "the controller is gone");
    if (found->second->metadata.resource_version != seen.metadata.resource_version)
      return fail(ErrorCode::Conflict, "the controller was changed");
    return *found->second;
  }
  void write(IngressController changed) const {
    changed.metadata.resource_version = world.next_version();
    ++world.writes;
    const std::string name = changed.metadata.name;
    world.controllers[name] = std::make_shared<const IngressController>(std::move(changed));
  }
  // Only what carries the label of one of our controllers may be written.
  void check_foreign(const json::Object& object, std::string_view deed) const {
    if (kube::label(object, kForeign)) world.violations.push_back(fmt::format("{} {}", deed, key_of(object)));
  }
  Result<void> create(json::Object object) const {
    if (world.objects.contains(key_of(object))) return fail(ErrorCode::AlreadyExists, "it is there already");
    world.put(std::move(object));
    ++world.writes;
    return {};
  }
  Result<void> update(std::string_view kind, const kube::ObjectKey& key, std::string_view version,
                      const json::Object& patch) const {
    const std::string text = key_text(kind, key.namespace_, key.name);
    const auto found = world.objects.find(text);
    if (found == world.objects.end()) return fail(ErrorCode::NotFound, "it is gone");
    if (kube::resource_version_of(found->second) != version)
      return fail(ErrorCode::Conflict, "it was changed");
    check_foreign(found->second, "changed");
    json::Value value = found->second;
    json::apply_merge_patch(value, patch);
    if (kind == "Deployment") value.get_object()["status"] = ready_status(kind, value.get_object());
    ++world.writes;
    world.store(text, std::move(value.get_object()));
    return {};
  }

  Result<void> operator()(const WriteStatus& action) const {
    FAIRWAY_TRY(IngressController changed, current(*action.controller));
    changed.status = action.status;
    write(std::move(changed));
    return {};
  }
  Result<void> operator()(const AddFinalizer& action) const {
    FAIRWAY_TRY(IngressController changed, current(*action.controller));
    changed.metadata.finalizers.emplace_back(kFinalizer);
    write(std::move(changed));
    return {};
  }
  Result<void> operator()(const RemoveFinalizer& action) const {
    FAIRWAY_TRY(IngressController changed, current(*action.controller));
    std::erase(changed.metadata.finalizers, kFinalizer);
    if (changed.metadata.deletion_timestamp && changed.metadata.finalizers.empty()) {
      world.controllers.erase(changed.metadata.name);
    } else {
      write(std::move(changed));
    }
    return {};
  }
  Result<void> operator()(const CreateService& action) const {
    FAIRWAY_CHECKED(create(action.service));
    ++world.creations;
    return {};
  }
  Result<void> operator()(const UpdateService& action) const {
    if (!world.service_refusal.empty()) return fail(ErrorCode::Forbidden, world.service_refusal);
    return update("Service", action.key, action.resource_version, action.patch);
  }
  Result<void> operator()(const DeleteService& action) const {
    FAIRWAY_CHECKED(current(*action.controller));
    const std::string text = key_text("Service", action.key.namespace_, action.key.name);
    const auto found = world.objects.find(text);
    if (found == world.objects.end()) return {};
    if (kube::uid_of(found->second) != action.uid ||
        kube::resource_version_of(found->second) != action.resource_version)
      return fail(ErrorCode::Conflict, "another one, or changed");
    const bool is_permitted = auto_delete_permission(*action.controller, world.now).is_given();
    if (action.consent == Consent::AutoDelete && !is_permitted) return fail(ErrorCode::Conflict, "not now");
    check_foreign(found->second, "deleted");
    check_consent(*action.controller);
    world.deletions.push_back(action);
    world.begin_deletion(text);
    return {};
  }
  // By the world as it is, not by what the decision believed.
  void check_consent(const IngressController& judged) const {
    const IngressController& now = *world.controllers.at(judged.metadata.name);
    if (now.metadata.deletion_timestamp) return;
    const auto& strategy = now.status.endpoint_publishing_strategy;
    const bool is_published = strategy && strategy->type == kLoadBalancerService;
    const bool is_asked = load_balancer_of(now.spec.endpoint_publishing_strategy) != nullptr;
    if (!is_published && !is_asked) return;
    const bool is_held = world.config.platform->is_mutable || !world.config.platform->scope ||
                         now.metadata.annotations.contains(std::string(kAutoDeleteDryRun));
    if (!has_auto_delete(now) || is_held)
      world.violations.push_back(fmt::format("deleted the Service of {} without consent", now.metadata.name));
  }
  Result<void> operator()(const CreateOperand& action) const {
    if (kube::kind_of(action.object) == "IngressController") {
      world.create(std::string(kube::name_of(action.object)));
      return {};
    }
    return create(action.object);
  }
  Result<void> operator()(const UpdateOperand& action) const {
    return update(action.kind, action.key, action.resource_version, action.patch);
  }
  Result<void> operator()(const DeleteOperand& action) const {
    const std::string text = key_text(action.kind, action.key.namespace_, action.key.name);
    const auto found = world.objects.find(text);
    if (found == world.objects.end()) return {};
    if (kube::uid_of(found->second) != action.uid) return fail(ErrorCode::Conflict, "another one");
    check_foreign(found->second, "deleted");
    world.begin_deletion(text);
    return {};
  }
};

Result<void> SimulatedCluster::act(const Action& action) {
  FAIRWAY_CHECKED(std::visit(Act{*this}, action));
  for (EventText& each : events_of(action)) events.push_back(std::move(each));
  return {};
}

namespace {

constexpr int kMostRounds = 40;

}  // namespace

std::string SimulatedCluster::settle_alone(const std::string& name) {
  std::string story;
  for (int round = 0; round < kMostRounds; ++round) {
    const kube::Plan<Action> plan = decide(observe(name));
    if (plan.actions.empty()) return story;
    for (const Action& action : plan.actions) {
      if (auto done = act(action); !done) {
        story += fmt::format("cannot {}: {}\n", describe(action), done.error().message);
        if (!service_refusal.empty()) return story;
        break;
      }
      story += describe(action) + "\n";
    }
  }
  return story + "there is always more to do\n";
}

std::string SimulatedCluster::settle(const std::string& name) {
  std::string story;
  for (int round = 0; round < kMostRounds; ++round) {
    const int before = version_;
    const std::size_t count = objects.size();
    story += settle_alone(name);
    run_cloud();
    if (version_ == before && objects.size() == count) return story;
  }
  return story + "there is always more to do\n";
}

const json::Object* SimulatedCluster::service(const std::string& name) const {
  const auto found = objects.find(service_key(name));
  return found == objects.end() ? nullptr : &found->second;
}

std::string SimulatedCluster::annotation(std::string_view key, const std::string& name) const {
  const json::Object* found = service(name);
  return found == nullptr ? "no service" : std::string(kube::annotation(*found, key).value_or("absent"));
}

std::string SimulatedCluster::condition(std::string_view type, const std::string& name) const {
  const auto* found = kube::find_condition(controller(name).status.conditions, type);
  if (found == nullptr) return "absent";
  return found->reason.empty() ? found->status : found->status + " " + found->reason;
}

std::string SimulatedCluster::message(std::string_view type, const std::string& name) const {
  const auto* found = kube::find_condition(controller(name).status.conditions, type);
  return found == nullptr ? "absent" : found->message;
}

bool SimulatedCluster::has_event(std::string_view reason) const {
  return std::ranges::find(events, reason, &EventText::reason) != events.end();
}

SimulatedCluster published(std::string_view platform, std::string_view scope) {
  SimulatedCluster cluster(platform);
  cluster.create(kName, load_balancer(scope));
  cluster.settle();
  return cluster;
}

std::string uid_of(const SimulatedCluster& cluster) {
  return cluster.service() == nullptr ? "none" : std::string(kube::uid_of(*cluster.service()));
}

}  // namespace fairway::ingress::testing
