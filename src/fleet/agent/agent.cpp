#include "fleet/agent/agent.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "fleet/agent/report.hpp"
#include "fleet/propagator_child.hpp"
#include "kube/client/discovery.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::fleet::agent {
namespace {

// Of one pass; each answers at least one question about an object.
constexpr int kMostRounds = 16;
const kube::ResourceType kNamespaces{
    .kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false};
const kube::ResourceType kDefinitions{.kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                                      .resource = "customresourcedefinitions",
                                      .is_namespaced = false};

AgentSettings completed(AgentSettings settings) {
  if (settings.namespace_.empty()) settings.namespace_ = settings.cluster;
  return settings;
}

bool is_policy_group(std::string_view api_version) {
  return api_version.starts_with("policy.open-cluster-management.io/");
}

}  // namespace

kube::ResourceType policy_type() {
  return {.kind = {"policy.open-cluster-management.io", "v1", "Policy"}, .resource = "policies"};
}
kube::ResourceType configuration_policy_type() {
  return {.kind = {"policy.open-cluster-management.io", "v1", "ConfigurationPolicy"},
          .resource = "configurationpolicies"};
}

ClusterAgent::ClusterAgent(kube::Runtime& cluster, kube::Runtime& hub, boost::asio::any_io_executor executor,
                           AgentSettings settings, metrics::Registry& registry)
    : client_(cluster.client()),
      hub_client_(hub.client()),
      settings_(completed(std::move(settings))),
      children_(hub.cache(policy_type(), {.namespace_ = settings_.cluster})),
      policies_(cluster.cache(configuration_policy_type(), {.namespace_ = settings_.namespace_})),
      namespaces_(cluster.cache(kNamespaces)),
      watches_(client_, executor, [this](const kube::ObjectKey& key) { evaluator_->enqueue(key); }),
      dependencies_(client_, executor, [this](const kube::ObjectKey& key) { framework_->enqueue(key); }),
      evaluations_(registry.counter("fairway_agent_evaluations_total", "looks at a policy, by what was found",
                                    {"compliant"})),
      writes_(registry.counter("fairway_agent_writes_total", "writes to objects of the cluster",
                               {"verb", "result"})),
      kinds_(registry.gauge("fairway_agent_watched_kinds", "kinds of objects that policies are about")) {
  wire(cluster, hub);
}

ClusterAgent::~ClusterAgent() = default;

void ClusterAgent::wire(kube::Runtime& cluster, kube::Runtime&) {
  evaluator_ = &cluster.add_controller({.name = "configuration-policy",
                                        .workers = settings_.workers,
                                        .backoff = {.cap = std::chrono::minutes(2)}},
                                       [this](kube::ObjectKey key) { return evaluate(std::move(key)); });
  evaluator_->watch(policies_);
  evaluator_->watch<json::Object>(namespaces_, [this](const json::Object&) {
    std::vector<kube::ObjectKey> keys;
    for (const auto& each : policies_.all()) keys.push_back(kube::key_of(*each));
    return keys;
  });
  kube::ControlLoop<ChildObserved, FrameworkAction> loop{
      .observe = [this](kube::ObjectKey key) { return observe_child(std::move(key)); },
      .decide = decide_child,
      .act = [this](FrameworkAction action) { return act_on_child(std::move(action)); },
      .execution = {.max_retries = 0}};
  framework_ = &kube::add_control_loop<ChildObserved, FrameworkAction>(
      cluster,
      {.name = "policy-framework", .workers = settings_.workers, .backoff = {.cap = std::chrono::minutes(2)}},
      std::move(loop));
  framework_->watch<json::Object>(children_, [this](const json::Object& child) {
    std::vector<kube::ObjectKey> keys = dependents("Policy", kube::name_of(child));
    keys.push_back(kube::key_of(child));
    return keys;
  });
  framework_->watch<json::Object>(policies_, [this](const json::Object& policy) {
    std::vector<kube::ObjectKey> keys = dependents("ConfigurationPolicy", kube::name_of(policy));
    if (const auto owner = kube::label(policy, kPolicyLabel))
      keys.push_back({settings_.cluster, std::string(*owner)});
    return keys;
  });
}

boost::asio::awaitable<void> ClusterAgent::stop() {
  co_await watches_.stop();
  co_await dependencies_.stop();
}

std::vector<NamespaceFacts> ClusterAgent::namespace_facts() const {
  std::vector<NamespaceFacts> facts;
  for (const auto& each : namespaces_.all()) facts.push_back(NamespaceFacts::from(*each));
  return facts;
}

Task<kube::ReconcileResult> ClusterAgent::evaluate(kube::ObjectKey key) {
  const ObjectPointer policy = policies_.get(key);
  if (!policy) {
    watches_.forget(key);
    selected_.erase(key);
    kinds_.with().set(static_cast<double>(watches_.size()));
    co_return kube::ReconcileResult{};
  }
  FAIRWAY_CO_TRY(Observed seen, co_await observe(key, policy));
  for (int round = 0; round < kMostRounds; ++round) {
    const kube::Plan<Action> plan = decide(seen);
    for (const std::string& note : plan.notes) log::info(note, {{"policy", key.to_string()}});
    bool is_settled = plan.is_empty();
    for (const Action& each : plan.actions) {
      log::info(describe(each), {{"policy", key.to_string()}});
      FAIRWAY_CO_CHECKED(co_await act(each, seen.outcomes));
      is_settled |= std::holds_alternative<WriteStatus>(each) || std::holds_alternative<SetFinalizer>(each);
    }
    if (!is_settled) continue;
    selected_[key] = seen.namespaces;
    const auto compliant = json::get_string(*policy, {"status", "compliant"});
    evaluations_.with({std::string(compliant.value_or("Unknown"))}).add();
    co_return kube::ReconcileResult{plan.wake_at, plan.wake_reason};
  }
  co_return fail(ErrorCode::Conflict, fmt::format("the objects of {} changed {} times during one look",
                                                  key.to_string(), kMostRounds));
}

Task<Observed> ClusterAgent::observe(kube::ObjectKey key, ObjectPointer policy) {
  std::set<Interest> interests;
  FAIRWAY_CO_TRY(Preparation prepared, co_await prepare_policy(key, Configuration::from(*policy), interests));
  Observed seen{.policy = policy,
                .templates = std::move(prepared.templates),
                .namespaces = std::move(prepared.namespaces),
                .now = client_.clock().now()};
  if (const auto known = selected_.find(key); known != selected_.end())
    seen.namespaces_before = known->second;
  if (Configuration::from(*policy).prune != Prune::None) seen.related = related_of(*policy);
  for (const Related& each : seen.related) {
    const auto type = co_await client_.discovery().find(each.subject.kind);
    if (type) interests.insert({*type, each.subject.namespace_, each.subject.name});
  }
  // Before anything is read, so that no change after it is missed.
  watches_.set(key, std::move(interests));
  kinds_.with().set(static_cast<double>(watches_.size()));
  for (PreparedTemplate& each : seen.templates) FAIRWAY_CO_CHECKED(co_await fill_targets(each));
  FAIRWAY_CO_CHECKED(co_await fill_related(seen));
  co_return seen;
}

Task<Preparation> ClusterAgent::prepare_policy(kube::ObjectKey key, Configuration configuration,
                                               std::set<Interest>& interests) {
  KnownKinds kinds;
  const std::vector<NamespaceFacts> namespaces = namespace_facts();
  Preparation prepared = prepare(configuration, namespaces, kinds);
  while (!prepared.is_complete()) {
    for (const kube::GroupVersionKind& each : prepared.unknown_kinds)
      FAIRWAY_CO_CHECKED(co_await learn_kind(each, kinds));
    prepared = prepare(configuration, namespaces, kinds);
  }
  for (const PreparedTemplate& each : prepared.templates) {
    if (each.fault && each.targets.empty()) continue;
    const kube::ResourceType type{
        .kind = each.kind, .resource = each.resource, .is_namespaced = each.is_namespaced};
    for (const Target& target : each.targets) interests.insert({type, target.namespace_, target.name});
  }
  // A kind that is missing may come.
  if (prepared.lacks_kinds) interests.insert({.type = kDefinitions});
  watches_.add(key, interests);
  co_return prepared;
}

Task<void> ClusterAgent::learn_kind(kube::GroupVersionKind kind, KnownKinds& known) {
  const auto type = co_await client_.discovery().find(kind);
  if (type) {
    known[kind] = KindFacts{type->resource, type->is_namespaced};
  } else if (type.error().code == ErrorCode::NotFound) {
    known[kind] = std::nullopt;
  } else {
    co_return std::unexpected(type.error());
  }
  co_return Result<void>{};
}

Task<void> ClusterAgent::fill_targets(PreparedTemplate& prepared) {
  if (prepared.targets.empty()) co_return Result<void>{};
  const kube::ResourceType type{
      .kind = prepared.kind, .resource = prepared.resource, .is_namespaced = prepared.is_namespaced};
  const auto cache = co_await watches_.objects(type);
  if (!cache) {
    if (retry_of(cache.error().code) != Retry::Never) co_return std::unexpected(cache.error());
    // The server will not say: that is told, and nothing is done.
    if (cache.error().code == ErrorCode::NotFound) client_.discovery().invalidate();
    prepared.targets.clear();
    prepared.fault = Fault{std::string(kServerError),
                           fmt::format("{} cannot be read: {}", prepared.resource, cache.error().message)};
    co_return Result<void>{};
  }
  for (Target& target : prepared.targets) {
    if (target.name.empty()) {
      target.live = (*cache)->all(target.namespace_);
    } else if (auto found = (*cache)->get({target.namespace_, target.name})) {
      target.live = {std::move(found)};
    }
  }
  co_return Result<void>{};
}

Task<void> ClusterAgent::fill_related(Observed& seen) {
  for (Related& each : seen.related) {
    const auto type = co_await client_.discovery().find(each.subject.kind);
    if (!type) continue;  // without its kind it is gone
    FAIRWAY_CO_TRY(const kube::ObjectCache* cache, co_await watches_.objects(*type));
    each.live = cache->get({each.subject.namespace_, each.subject.name});
  }
  co_return Result<void>{};
}

std::vector<kube::ObjectKey> ClusterAgent::dependents(std::string_view kind, std::string_view name) const {
  std::vector<kube::ObjectKey> keys;
  for (const auto& child : children_.all()) {
    const auto wanted = dependencies_of(*child);
    const bool is_dependent = std::ranges::any_of(wanted, [&](const Dependency& each) {
      return each.kind == kind && each.name == name && is_policy_group(each.api_version);
    });
    if (is_dependent) keys.push_back(kube::key_of(*child));
  }
  return keys;
}

Task<ChildObserved> ClusterAgent::observe_child(kube::ObjectKey key) {
  ChildObserved seen{.key = key,
                     .child = children_.get(key),
                     .cluster_namespace = settings_.namespace_,
                     .now = client_.clock().now()};
  for (const auto& each : policies_.all()) seen.policies.emplace(kube::name_of(*each), each);
  if (!seen.child) {
    dependencies_.forget(key);
    co_return seen;
  }
  std::set<Interest> interests;
  for (const Dependency& each : dependencies_of(*seen.child)) {
    const bool is_policy =
        is_policy_group(each.api_version) && (each.kind == "Policy" || each.kind == "ConfigurationPolicy");
    const auto kind = kube::GroupVersionKind::parse(each.api_version, each.kind);
    if (is_policy || !kind) continue;
    const auto type = co_await client_.discovery().find(*kind);
    if (type) interests.insert({*type, type->is_namespaced ? settings_.namespace_ : "", each.name});
  }
  dependencies_.set(key, std::move(interests));
  for (const Dependency& each : dependencies_of(*seen.child)) {
    FAIRWAY_CO_TRY(seen.compliances[each], co_await compliance_of(key, each));
  }
  co_return seen;
}

Task<std::string> ClusterAgent::compliance_of(kube::ObjectKey child, Dependency dependency) {
  if (is_policy_group(dependency.api_version) && dependency.kind == "Policy") {
    const auto found = children_.get({child.namespace_, dependency.name});
    co_return found ? compliance_of_child(*found) : std::string();
  }
  ObjectPointer found;
  if (is_policy_group(dependency.api_version) && dependency.kind == "ConfigurationPolicy") {
    found = policies_.get({settings_.namespace_, dependency.name});
  } else if (const auto kind = kube::GroupVersionKind::parse(dependency.api_version, dependency.kind)) {
    const auto type = co_await client_.discovery().find(*kind);
    if (!type) co_return std::string();
    FAIRWAY_CO_TRY(const kube::ObjectCache* cache, co_await dependencies_.objects(*type));
    found = cache->get({type->is_namespaced ? settings_.namespace_ : "", dependency.name});
  }
  co_return found ? std::string(json::get_string(*found, {"status", "compliant"}).value_or(""))
                  : std::string();
}

}  // namespace fairway::fleet::agent
