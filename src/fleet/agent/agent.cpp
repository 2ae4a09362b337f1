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

// What ends up in the log: a server may quote what it was sent.
Error without_values(Error error, const Observed& seen) {
  if (std::ranges::any_of(seen.templates, &PreparedTemplate::has_decrypted) &&
      error.code != ErrorCode::Cancelled)
    error.message = "the server's words are not told, because the policy has decrypted values";
  return error;
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
  add_controllers(cluster);
}

ClusterAgent::~ClusterAgent() = default;

void ClusterAgent::add_controllers(kube::Runtime& cluster) {
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
    trials_.erase(key);
    kinds_.with().set(static_cast<double>(watches_.size()));
    co_return kube::ReconcileResult{};
  }
  FAIRWAY_CO_TRY(Observed seen, co_await observe(key, policy));
  std::string found(json::get_string(*policy, {"status", "compliant"}).value_or("Unknown"));
  for (int round = 0; round < kMostRounds; ++round) {
    const kube::Plan<Action> plan = decide(seen);
    for (const std::string& note : plan.notes) log::info(note, {{"policy", key.to_string()}});
    bool is_settled = plan.is_empty();
    for (const Action& each : plan.actions) {
      const bool is_question = std::holds_alternative<TryUpdate>(each);
      log::write(is_question ? log::Level::Debug : log::Level::Info, describe(each),
                 {{"policy", key.to_string()}});
      const auto done = co_await act(key, each, seen.outcomes);
      if (!done) co_return std::unexpected(without_values(done.error(), seen));
      if (const auto* written = std::get_if<WriteStatus>(&each))
        found = json::get_string(written->status, {"compliant"}).value_or("Unknown");
      is_settled |= std::holds_alternative<WriteStatus>(each) || std::holds_alternative<SetFinalizer>(each);
    }
    if (!is_settled) continue;
    selected_[key] = seen.namespaces;
    std::erase_if(trials_[key], [&](const auto& trial) { return !seen.outcomes.contains(trial.first); });
    evaluations_.with({found}).add();
    co_return kube::ReconcileResult{plan.wake_at, plan.wake_reason};
  }
  co_return fail(ErrorCode::Conflict, fmt::format("the objects of {} changed {} times during one look",
                                                  key.to_string(), kMostRounds));
}

Task<Observed> ClusterAgent::observe(kube::ObjectKey key, ObjectPointer policy) {
  Learned learned{.key = key, .now = template_time(client_.clock().now())};
  const Configuration configuration = Configuration::from(*policy);
  if (has_encrypted(configuration))
    FAIRWAY_CO_CHECKED(co_await learn_decryption(configuration, vector_of(*policy), learned));
  FAIRWAY_CO_TRY(Preparation prepared, co_await prepare_policy(configuration, learned));
  Observed seen{.policy = policy,
                .templates = std::move(prepared.templates),
                .namespaces = std::move(prepared.namespaces),
                .lacks_key = learned.lacks_key,
                .now = client_.clock().now()};
  if (const auto known = selected_.find(key); known != selected_.end())
    seen.namespaces_before = known->second;
  if (configuration.prune != Prune::None) seen.related = related_of(*policy);
  for (const Related& each : seen.related) {
    const auto type = co_await client_.discovery().find(each.subject.kind);
    if (type) learned.interests.insert({*type, each.subject.namespace_, each.subject.name});
  }
  // Before anything is read, so that no change after it is missed.
  watches_.add(key, learned.interests);
  for (PreparedTemplate& each : seen.templates) {
    FAIRWAY_CO_CHECKED(co_await fill_targets(each));
    FAIRWAY_CO_CHECKED(co_await complete_objects(each, learned));
  }
  FAIRWAY_CO_CHECKED(co_await fill_related(seen));
  // What earlier looks were interested in and this one is not.
  watches_.set(key, std::move(learned.interests));
  kinds_.with().set(static_cast<double>(watches_.size()));
  co_return seen;
}

// The keys that are known are enough as long as they fit: so a cluster goes on without its hub.
Task<void> ClusterAgent::learn_decryption(Configuration configuration, std::optional<std::string> vector,
                                          Learned& learned) {
  if (keys_) {
    learned.decrypt = decryption_with(*keys_, vector);
    if (check_encrypted(configuration, learned.decrypt)) co_return Result<void>{};
  }
  const auto read = co_await read_keys();
  if (!read && (retry_of(read.error().code) != Retry::Never || co_await async::is_cancelled()))
    co_return std::unexpected(read.error());
  learned.lacks_key = !read;
  learned.decrypt = read ? decryption_with(*keys_, std::move(vector)) : impossible(read.error());
  co_return Result<void>{};
}

Task<void> ClusterAgent::read_keys() {
  const kube::ObjectKey key{settings_.cluster, std::string(kEncryptionSecret)};
  const auto secret = co_await hub_client_.get(kSecrets.at(key));
  if (!secret && secret.error().code == ErrorCode::NotFound)
    co_return fail(
        ErrorCode::NotFound,
        fmt::format("there is no Secret {} on the hub, which has the key of encrypted values; the hub "
                    "makes it when it writes a policy with protect",
                    key.to_string()));
  if (!secret && secret.error().code == ErrorCode::Forbidden)
    co_return fail(
        ErrorCode::Forbidden,
        fmt::format("the agent may not read Secret {} on the hub, which has the key of encrypted values: "
                    "{}; deploy/agent/hub.yaml has the right that it takes",
                    key.to_string(), secret.error().message));
  if (!secret) co_return std::unexpected(secret.error());
  FAIRWAY_CO_TRY(keys_, EncryptionKeys::from(*secret));
  co_return Result<void>{};
}

Task<Preparation> ClusterAgent::prepare_policy(Configuration configuration, Learned& learned) {
  const std::vector<NamespaceFacts> namespaces = namespace_facts();
  Preparation prepared =
      prepare(configuration, namespaces, learned.kinds, learned.answers, learned.decrypt, learned.now);
  while (!prepared.is_complete()) {
    for (const kube::GroupVersionKind& each : prepared.unknown_kinds)
      FAIRWAY_CO_CHECKED(co_await learn_kind(each, learned.kinds));
    for (const templates::Lookup& each : prepared.missing) FAIRWAY_CO_CHECKED(co_await answer(each, learned));
    prepared =
        prepare(configuration, namespaces, learned.kinds, learned.answers, learned.decrypt, learned.now);
  }
  for (const PreparedTemplate& each : prepared.templates) {
    const kube::ResourceType type{
        .kind = each.kind, .resource = each.resource, .is_namespaced = each.is_namespaced};
    for (const Target& target : each.targets)
      learned.interests.insert({type, target.namespace_, target.name});
  }
  // A kind that is missing may come.
  if (prepared.lacks_kinds) learned.interests.insert({.type = kDefinitions});
  co_return prepared;
}

// Of a template's lookup: from a watch, so that a change of what was looked up is another look.
Task<void> ClusterAgent::answer(templates::Lookup lookup, Learned& learned) {
  const auto kind = kube::GroupVersionKind::parse(lookup.api_version, lookup.kind);
  if (!kind) {
    learned.answers[lookup] = std::unexpected(kind.error());
    co_return Result<void>{};
  }
  const auto type = co_await client_.discovery().find(*kind);
  if (!type && type.error().code != ErrorCode::NotFound) co_return std::unexpected(type.error());
  if (!type) {
    learned.answers[lookup] = json::Value(nullptr);
    learned.interests.insert({.type = kDefinitions});
    co_return Result<void>{};
  }
  const std::string ns = type->is_namespaced ? lookup.namespace_ : "";
  const Interest interest{*type, ns, lookup.name};
  learned.interests.insert(interest);
  watches_.add(learned.key, {interest});
  const auto cache = co_await watches_.objects(*type);
  if (!cache) {
    if (retry_of(cache.error().code) != Retry::Never) co_return std::unexpected(cache.error());
    learned.answers[lookup] = std::unexpected(cache.error());
    co_return Result<void>{};
  }
  if (!lookup.name.empty()) {
    const ObjectPointer found = (*cache)->get({ns, lookup.name});
    learned.answers[lookup] = found ? json::Value(*found) : json::Value(nullptr);
    co_return Result<void>{};
  }
  const auto selector = kube::Selector::parse(lookup.selector);
  if (!selector) {
    learned.answers[lookup] = std::unexpected(selector.error());
    co_return Result<void>{};
  }
  json::Array items;
  for (const ObjectPointer& each : (*cache)->select(*selector, ns)) items.push_back(*each);
  learned.answers[lookup] = json::Value(json::Object{{"items", std::move(items)}});
  co_return Result<void>{};
}

Task<void> ClusterAgent::complete_objects(PreparedTemplate& prepared, Learned& learned) {
  for (;;) {
    ObjectLookups lookups;
    PreparedTemplate complete =
        resolve_objects(prepared, learned.answers, lookups, learned.decrypt, learned.now);
    if (lookups.missing.empty()) {
      prepared = std::move(complete);
      co_return Result<void>{};
    }
    for (const templates::Lookup& each : lookups.missing) FAIRWAY_CO_CHECKED(co_await answer(each, learned));
  }
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
    refusals_.erase(key);
    co_return seen;
  }
  if (const auto refused = refusals_.find(key); refused != refusals_.end()) seen.refusals = refused->second;
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
