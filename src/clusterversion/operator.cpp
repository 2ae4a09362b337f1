#include "clusterversion/operator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "clusterversion/operator_metrics.hpp"
#include "clusterversion/status_events.hpp"
#include "kube/client/api.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::clusterversion {
namespace {

constexpr const char* kManager = "fairway-cluster-version";
const kube::ObjectKey kKey{"", std::string(kObjectName)};
const kube::ResourceType kConfigMaps{.kind = {"", "v1", "ConfigMap"}, .resource = "configmaps"};

kube::Selection only(std::string ns, std::string_view name) {
  return {.namespace_ = std::move(ns), .field_selector = fmt::format("metadata.name={}", name)};
}

std::optional<ConfigData> data_of(const kube::ObjectCache& cache) {
  const auto all = cache.all();
  if (all.empty()) return std::nullopt;
  ConfigData data;
  if (const json::Object* found = json::get_object(*all.front(), {"data"})) {
    for (const auto& member : *found) {
      if (member.value().is_string())
        data.emplace(std::string(member.key()), std::string(json::view(member.value().get_string())));
    }
  }
  return data;
}

}  // namespace

ClusterVersionOperator::ClusterVersionOperator(kube::Runtime& runtime, boost::asio::any_io_executor executor,
                                               std::shared_ptr<const OperatorSettings> settings,
                                               OperatorParts parts, metrics::Registry& registry)
    : runtime_(runtime),
      settings_(std::move(settings)),
      parts_(std::move(parts)),
      memory_{.queries = QuerySchedule(settings_->pacing)},
      objects_(runtime.cache<ClusterVersion>(only("", kObjectName))),
      gates_(runtime.cache(kConfigMaps, only("openshift-config-managed", "admin-gates"))),
      acks_(runtime.cache(kConfigMaps, only("openshift-config", "admin-acks"))),
      // A copy that waits for its turn says nothing of the object: sums would count it twice.
      metrics_(std::make_unique<OperatorMetrics>(
          registry, [this] { return runtime_.health().is_leader ? current() : nullptr; })),
      jobs_(std::move(executor), [](const std::string& name, const Error& error) {
        log::error("a task of the cluster-version operator failed",
                   {{"task", name}, {"error", error.describe()}});
      }) {
  kube::ControlLoop<Observed, Action> loop{.observe = [this](kube::ObjectKey) { return observe(); },
                                           .decide = decide,
                                           .act = [this](Action action) { return act(std::move(action)); },
                                           .execution = {.max_retries = 0}};
  controller_ = &kube::add_control_loop<Observed, Action>(
      runtime, {.name = "cluster-version", .backoff = {.cap = std::chrono::minutes(2)}, .metrics = &registry},
      std::move(loop));
  controller_->watch(objects_);
  const auto to_version = [](const json::Object&) { return std::vector{kKey}; };
  controller_->watch<json::Object>(gates_, to_version);
  controller_->watch<json::Object>(acks_, to_version);
}

ClusterVersionOperator::~ClusterVersionOperator() = default;

void ClusterVersionOperator::watch_operators() {
  const kube::ResourceType type{.kind = {"config.openshift.io", "v1", "ClusterOperator"},
                                .resource = "clusteroperators",
                                .is_namespaced = false};
  operators_ = &runtime_.cache(type);
  controller_->watch<json::Object>(*operators_, [](const json::Object&) { return std::vector{kKey}; });
}

boost::asio::awaitable<void> ClusterVersionOperator::stop() {
  co_await jobs_.stop();
}

Moment ClusterVersionOperator::now() const {
  const TimerClock& clock = runtime_.client().clock();
  return {clock.steady(), clock.now()};
}

void ClusterVersionOperator::look_again() {
  controller_->enqueue(kKey);
}

std::shared_ptr<const ClusterVersion> ClusterVersionOperator::current() const {
  auto cached = objects_.get(kKey);
  const bool is_behind = cached && written_ && cached->metadata.resource_version == written_over_;
  return is_behind ? written_ : cached;
}

UpgradeFacts ClusterVersionOperator::facts() const {
  UpgradeFacts facts{.admin_gates = data_of(gates_), .admin_acks = data_of(acks_).value_or(ConfigData{})};
  if (operators_ == nullptr) return facts;
  for (const auto& object : operators_->all()) {
    OperatorStanding standing{.name = std::string(kube::name_of(*object))};
    const kube::Conditions conditions = kube::conditions_of(*object);
    if (const auto* found = kube::find_condition(conditions, "Upgradeable")) standing.upgradeable = *found;
    facts.operators.push_back(std::move(standing));
  }
  return facts;
}

Task<Observed> ClusterVersionOperator::observe() {
  const Moment moment = now();
  memory_.queries.expire(moment.steady);
  co_return Observed{
      .object = current(), .memory = memory_, .facts = facts(), .now = moment, .settings = settings_};
}

Task<void> ClusterVersionOperator::act(Action action) {
  return std::visit([this](auto& one) { return carry_out(std::move(one)); }, action);
}

Task<void> ClusterVersionOperator::carry_out(WriteStatus action) {
  // A server that does not store all of it would otherwise be written to for ever.
  const bool was_written =
      written_ && written_->metadata.resource_version == action.object->metadata.resource_version;
  if (was_written && wanted_ == action.status) co_return Result<void>{};
  ClusterVersion object = *action.object;
  object.status = action.status;
  auto written = co_await kube::Api<ClusterVersion>(runtime_.client()).update_status(object);
  metrics_->wrote(written.has_value());
  if (!written) {
    if (written.error().code != ErrorCode::Invalid) co_return std::unexpected(std::move(written).error());
    co_return co_await write_refusal(action.object, std::move(written).error());
  }
  written_over_ = action.object->metadata.resource_version;
  written_ = std::make_shared<const ClusterVersion>(*std::move(written));
  wanted_ = action.status;
  if (written_->status != wanted_)
    log::warning("the API server does not store all of the status as it was written");
  tell_changes(*action.object, action.status);
  look_again();
  co_return Result<void>{};
}

// A status that the server refuses must not leave the object without a word: what it has stays, with the
// reason.
Task<void> ClusterVersionOperator::write_refusal(std::shared_ptr<const ClusterVersion> object, Error error) {
  log::error("the API server refuses the status", {{"error", error.describe()}});
  ClusterVersion said = *object;
  kube::set_condition(
      said.status.conditions,
      {.type = "Failing",
       .status = std::string(kube::kConditionTrue),
       .reason = "StatusRefused",
       .message = fmt::format("Error ensuring the cluster version is up to date: {}", error.message)},
      std::chrono::floor<std::chrono::seconds>(now().wall));
  if (said.status != object->status)
    FAIRWAY_CO_CHECKED(co_await kube::Api<ClusterVersion>(runtime_.client()).update_status(said));
  co_return std::unexpected(std::move(error));
}

Task<void> ClusterVersionOperator::carry_out(FetchGraph action) {
  jobs_.cancel(fetching_);
  const Moment begun = now();
  begin_fetch(memory_.retrieval, action.request, begun);
  fetching_ = jobs_.spawn("fetch graph", fetch(std::move(action), begun));
  co_return Result<void>{};
}

Task<void> ClusterVersionOperator::fetch(FetchGraph action, Moment begun) {
  FAIRWAY_CO_TRY(GraphOutcome outcome, co_await parts_.fetch_graph(action.request));
  // Another request may have taken its place meanwhile.
  if (memory_.retrieval.request != action.request) co_return Result<void>{};
  metrics_->fetched(outcome ? "" : outcome.error().reason);
  const bool is_new = outcome.has_value();
  end_fetch(memory_.retrieval, std::move(outcome), action.failure_clears, storable_, begun);
  if (memory_.retrieval.settled) metrics_->settled(memory_.retrieval.settled->wall);
  if (const auto& offer = memory_.retrieval.offer; offer && is_new) {
    for (const LeftOut& left_out : offer->left_out) metrics_->left_out(left_out.cause);
  }
  look_again();
  co_return Result<void>{};
}

Task<void> ClusterVersionOperator::carry_out(AskQuery action) {
  memory_.queries.begin(action.query, action.wanted, now());
  jobs_.spawn("ask query", ask(std::move(action.query)));
  co_return Result<void>{};
}

Task<void> ClusterVersionOperator::ask(std::string query) {
  auto outcome = co_await parts_.ask(query);
  // What was cancelled was not evaluated; the slot is free again.
  if (!outcome) outcome = QueryOutcome(std::unexpect, outcome.error().describe(), false);
  metrics_->asked(!*outcome ? "error" : **outcome ? "match" : "no match");
  memory_.queries.record(query, *std::move(outcome), now());
  look_again();
  co_return Result<void>{};
}

Task<void> ClusterVersionOperator::carry_out(RetrieveRelease action) {
  const auto object = current();
  begin_retrieval(memory_.rollout, action, object ? object->status.desired.image : "");
  jobs_.spawn("retrieve release", retrieve(std::move(action)));
  co_return Result<void>{};
}

Task<void> ClusterVersionOperator::retrieve(RetrieveRelease action) {
  FAIRWAY_CO_TRY(Retrieval outcome, co_await parts_.retrieve(action));
  end_retrieval(memory_.rollout, action, std::move(outcome), now().steady);
  look_again();
  co_return Result<void>{};
}

Task<json::Object> ClusterVersionOperator::apply(const PayloadManifest& manifest) {
  kube::Client& client = runtime_.client();
  FAIRWAY_CO_TRY(const kube::Resource place, co_await client.locate(manifest.object));
  if (!manifest.is_deletion)
    co_return co_await client.apply(place, manifest.object, {.field_manager = kManager, .force = true});
  auto removed = co_await client.remove(place);
  if (!removed && removed.error().code != ErrorCode::NotFound)
    co_return std::unexpected(std::move(removed).error());
  co_return json::Object();
}

Task<json::Object> ClusterVersionOperator::look_at(const PayloadManifest& manifest) {
  FAIRWAY_CO_TRY(const kube::Resource place, co_await runtime_.client().locate(manifest.object));
  co_return co_await runtime_.client().get(place);
}

Task<void> ClusterVersionOperator::carry_out(ApplyManifest action) {
  RolloutMemory& rollout = memory_.rollout;
  const auto payload = next_step(rollout, action.image, action.index);
  // Not due while one before it is not done, whatever the plan hoped for.
  if (!payload || rollout.application.is_applied) co_return Result<void>{};
  if (action.is_unmanaged) {
    skip_step(rollout);
  } else {
    auto live = co_await apply(payload->manifests[action.index]);
    if (!live && live.error().code == ErrorCode::Cancelled)
      co_return std::unexpected(std::move(live).error());
    metrics_->applied(live.has_value());
    settle_step(rollout, *payload, action.index, live, now().steady);
  }
  look_again();
  co_return Result<void>{};
}

Task<void> ClusterVersionOperator::carry_out(CheckManifest action) {
  const auto payload = next_step(memory_.rollout, action.image, action.index);
  if (!payload) co_return Result<void>{};
  auto live = co_await look_at(payload->manifests[action.index]);
  if (!live && live.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(live).error());
  settle_step(memory_.rollout, *payload, action.index, live, now().steady);
  look_again();
  co_return Result<void>{};
}

void ClusterVersionOperator::tell_changes(const ClusterVersion& before, const ClusterVersionStatus& after) {
  for (const EventText& event : status_events(before.status, after)) {
    kube::ObjectReference about{.kind = "ClusterVersion",
                                .name = before.metadata.name,
                                .uid = before.metadata.uid,
                                .api_version = "config.openshift.io/v1"};
    runtime_.events().record({.about = std::move(about),
                              .type = event.is_warning ? "Warning" : "Normal",
                              .reason = event.reason,
                              .message = event.message});
  }
}

}  // namespace fairway::clusterversion
