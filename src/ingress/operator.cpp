#include "ingress/operator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "ingress/operands.hpp"
#include "ingress/reports.hpp"
#include "ingress/service_keys.hpp"
#include "kube/client/api.hpp"
#include "kube/client/discovery.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::ingress {
namespace {

constexpr const char* kDomainIndex = "domain";
constexpr const char* kUidIndex = "uid";
constexpr const char* kClusterObject = "cluster";
const kube::ObjectKey kDefaultKey{std::string(kOperatorNamespace), std::string(kDefaultName)};
const kube::ResourceType kPods{.kind = {"", "v1", "Pod"}, .resource = "pods"};
const kube::ResourceType kEvents{.kind = {"", "v1", "Event"}, .resource = "events"};

kube::Selection operands(std::string labels = {}) {
  return {.namespace_ = std::string(kOperandNamespace), .label_selector = std::move(labels)};
}
kube::Selection named(std::string_view name) {
  return {.field_selector = fmt::format("metadata.name={}", name)};
}
kube::ObjectKey key_of(std::string_view controller) {
  return {std::string(kOperatorNamespace), std::string(controller)};
}

// Whose object this is, or would be by its name: one that takes a name which a controller needs concerns that
// controller too.
std::vector<kube::ObjectKey> concerned(const json::Object& object) {
  std::vector<kube::ObjectKey> keys;
  if (const auto owner = kube::label(object, kOwningLabel)) keys.push_back(key_of(*owner));
  const std::string_view name = kube::name_of(object);
  for (const std::string_view prefix : {"router-", "router-internal-", "router-nodeport-"})
    if (name.starts_with(prefix) && name.size() > prefix.size())
      keys.push_back(key_of(name.substr(prefix.size())));
  return keys;
}

std::vector<kube::ObjectKey> concerned_by_pod(const json::Object& pod) {
  const auto owner = kube::label(pod, keys::kDeploymentLabel);
  return owner ? std::vector{key_of(*owner)} : std::vector<kube::ObjectKey>{};
}

std::vector<kube::ObjectKey> concerned_by_event(const json::Object& event) {
  const auto name = json::get_string(event, {"involvedObject", "name"});
  if (reported_uid(event).empty() || !name || !name->starts_with("router-")) return {};
  return {key_of(name->substr(std::string_view("router-").size()))};
}

std::vector<kube::ObjectKey> concerned_by_record(const json::Object& record) {
  const auto owner = kube::label(record, kOwningLabel);
  return owner ? std::vector{key_of(*owner)} : std::vector<kube::ObjectKey>{};
}

}  // namespace

IngressOperator::IngressOperator(kube::Runtime& runtime, OperatorSettings settings,
                                 metrics::Registry& registry)
    : runtime_(runtime),
      registry_(registry),
      settings_(std::move(settings)),
      decisions_(std::make_shared<const Settings>(settings_.decisions)),
      controllers_(runtime.cache<IngressController>({.namespace_ = std::string(kOperatorNamespace)})),
      namespaces_(runtime.cache(operand_type("Namespace"), named(kOperandNamespace))),
      config_maps_(runtime.cache(operand_type("ConfigMap"), operands())),
      deployments_(runtime.cache(operand_type("Deployment"), operands())),
      services_(runtime.cache(operand_type("Service"), operands())),
      pods_(runtime.cache(kPods, operands(std::string(keys::kDeploymentLabel)))),
      events_(runtime.cache(kEvents, operands())),
      metrics_(registry, runtime.client().clock(), [this] { return controllers_.all(); }) {
  controllers_.add_index(kDomainIndex, [](const IngressController& each) {
    return std::vector{each.status.domain.empty() ? each.spec.domain : each.status.domain};
  });
  events_.add_index(kUidIndex, [](const json::Object& event) { return std::vector{reported_uid(event)}; });
  kube::ControlLoop<Observed, Action> loop{
      .observe = [this](kube::ObjectKey key) { return observe(std::move(key)); },
      .decide = decide,
      .act = [this](Action action) { return act(std::move(action)); },
      .execution = {.max_retries = 0}};
  controller_ = &kube::add_control_loop<Observed, Action>(runtime,
                                                          {.name = "ingress",
                                                           .workers = settings_.workers,
                                                           .backoff = {.cap = std::chrono::minutes(2)},
                                                           .metrics = &registry},
                                                          std::move(loop));
  // Whoever waits for the same domain is looked at as well.
  controller_->watch<IngressController>(controllers_, [this](const IngressController& each) {
    std::vector<kube::ObjectKey> keys = {key_of(each.metadata.name)};
    for (const std::string& domain : {each.status.domain, each.spec.domain}) {
      if (domain.empty()) continue;
      const auto& same = controllers_.keys_by_index(kDomainIndex, domain);
      keys.insert(keys.end(), same.begin(), same.end());
    }
    return keys;
  });
  controller_->watch<json::Object>(config_maps_, concerned);
  controller_->watch<json::Object>(deployments_, concerned);
  controller_->watch<json::Object>(services_, concerned);
  controller_->watch<json::Object>(pods_, concerned_by_pod);
  controller_->watch<json::Object>(events_, concerned_by_event);
  watch_configuration(namespaces_);
  controller_->enqueue(kDefaultKey);
}

IngressOperator::~IngressOperator() = default;

// What concerns the cluster concerns every controller, and the default one even before it is there.
void IngressOperator::watch_configuration(kube::ObjectCache& cache) {
  controller_->watch<json::Object>(cache, [this](const json::Object&) {
    std::vector<kube::ObjectKey> keys = {kDefaultKey};
    for (const auto& each : controllers_.all()) keys.push_back(key_of(each->metadata.name));
    return keys;
  });
}

Task<void> IngressOperator::prepare() {
  kube::Discovery& discovery = runtime_.client().discovery();
  struct Wanted {
    kube::ObjectCache** cache;
    std::string kind;
  };
  for (const Wanted& wanted : {Wanted{&infrastructures_, "Infrastructure"}, Wanted{&ingresses_, "Ingress"},
                               Wanted{&dnses_, "DNS"}}) {
    const auto type = co_await discovery.find({"config.openshift.io", "v1", wanted.kind});
    if (!type && type.error().code != ErrorCode::NotFound) co_return std::unexpected(type.error());
    if (!type) continue;
    *wanted.cache = &runtime_.cache(*type, named(kClusterObject));
    watch_configuration(**wanted.cache);
  }
  const kube::ResourceType& record = operand_type("DNSRecord");
  const auto known = co_await discovery.find(record.kind);
  if (!known && known.error().code != ErrorCode::NotFound) co_return std::unexpected(known.error());
  if (known) {
    records_ = &runtime_.cache(
        record, {.namespace_ = std::string(kOperatorNamespace), .label_selector = std::string(kOwningLabel)});
    controller_->watch<json::Object>(*records_, concerned_by_record);
  }
  const auto summed_up = co_await discovery.find(cluster_operator_type().kind);
  if (!summed_up && summed_up.error().code != ErrorCode::NotFound)
    co_return std::unexpected(summed_up.error());
  if (summed_up) add_summary();
  if (infrastructures_ == nullptr && settings_.platform.empty()) {
    co_return fail(
        ErrorCode::NotFound,
        "the server has no Infrastructure (config.openshift.io/v1) that says the platform; expected one, "
        "or --platform");
  }
  co_return Result<void>{};
}

ClusterConfig IngressOperator::config() const {
  const auto only = [](const kube::ObjectCache* cache) -> Observed::Object {
    return cache == nullptr ? nullptr : cache->get({"", kClusterObject});
  };
  const auto infrastructure = only(infrastructures_);
  const auto ingress = only(ingresses_);
  const auto dns = only(dnses_);
  ClusterConfig made = read_config(infrastructure.get(), ingress.get(), dns.get(), settings_.platform);
  // A server that cannot keep records has no zones, whatever is configured.
  if (records_ == nullptr) made.has_zones = false;
  return made;
}

Observed::Object IngressOperator::operand(const kube::ObjectCache& cache, std::string name) const {
  return cache.get({std::string(kOperandNamespace), std::move(name)});
}

CloudReports IngressOperator::cloud_reports(const Observed::Object& service) const {
  return service ? read_reports(events_.by_index(kUidIndex, kube::uid_of(*service))) : CloudReports{};
}

std::vector<std::string> IngressOperator::rivals(const IngressController& controller,
                                                 const ClusterConfig& config) const {
  std::vector<std::string> names;
  const std::string domain = wanted_domain(controller, config);
  if (domain.empty()) return names;
  for (const auto& each : controllers_.by_index(kDomainIndex, domain)) {
    if (each->metadata.uid != controller.metadata.uid && each->status.domain == domain &&
        kube::is_condition_true(each->status.conditions, "Admitted"))
      names.push_back(each->metadata.name);
  }
  return names;
}

Task<Observed> IngressOperator::observe(kube::ObjectKey key) {
  Observed seen{.key = key,
                .controller = controllers_.get(key),
                .config = config(),
                .now = runtime_.client().clock().now(),
                .settings = decisions_};
  seen.operand_namespace = namespaces_.get({"", std::string(kOperandNamespace)});
  seen.config_map = operand(config_maps_, router_name(key.name));
  seen.deployment = operand(deployments_, router_name(key.name));
  seen.service = operand(services_, router_name(key.name));
  seen.internal_service = operand(services_, internal_service_name(key.name));
  seen.node_port_service = operand(services_, node_port_service_name(key.name));
  if (records_ != nullptr)
    seen.record = records_->get({std::string(kOperatorNamespace), record_name(key.name)});
  seen.cloud = cloud_reports(seen.service);
  if (seen.controller) {
    seen.domain_rivals = rivals(*seen.controller, seen.config);
    if (seen.controller->metadata.deletion_timestamp) {
      FAIRWAY_CO_TRY(const kube::Selector selector, kube::Selector::parse(router_selector(key.name)));
      seen.router_pods = pods_.select(selector).size();
    }
  } else {
    refusals_.erase(key.name);
  }
  if (const auto refused = refusals_.find(key.name); refused != refusals_.end())
    seen.service_refusal = refused->second;
  tell_standing(seen);
  co_return seen;
}

void IngressOperator::tell_standing(const Observed& seen) {
  std::vector<EventText> now = standing_warnings(seen);
  auto& before = standing_[seen.key];
  if (seen.controller && now != before) tell(*seen.controller, now);
  if (now.empty()) {
    standing_.erase(seen.key);
  } else {
    before = std::move(now);
  }
}

void IngressOperator::tell(const IngressController& about, const std::vector<EventText>& events) {
  for (const EventText& event : events) {
    runtime_.events().record({.about = {.kind = "IngressController",
                                        .namespace_ = about.metadata.namespace_,
                                        .name = about.metadata.name,
                                        .uid = about.metadata.uid,
                                        .api_version = "operator.openshift.io/v1"},
                              .type = event.is_warning ? "Warning" : "Normal",
                              .reason = event.reason,
                              .message = event.message});
  }
}

}  // namespace fairway::ingress
