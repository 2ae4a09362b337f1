#include "cloud/node_player.hpp"

#include <array>
#include <fmt/format.h>

#include "async/deadline.hpp"
#include "base/text.hpp"
#include "cloud/kinds.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::cloud {
namespace {

constexpr const char* kNodesManager = "fairway-nodes";
constexpr const char* kDeploymentIndex = "deployment";
constexpr Duration kIdleTimeout = std::chrono::minutes(5);

kube::ObjectKey deployment_of(const json::Object& pod) {
  const auto owner = kube::controller_of(pod);
  return {std::string(kube::namespace_of(pod)), owner ? owner->name : std::string()};
}

}  // namespace

NodePlayer::NodePlayer(kube::Runtime& runtime, boost::asio::any_io_executor executor,
                       std::string label_selector, nodes::Settings settings, metrics::Registry& registry)
    : runtime_(runtime),
      executor_(std::move(executor)),
      settings_(std::make_shared<const nodes::Settings>(std::move(settings))),
      deployments_(runtime.cache(kDeployments, {.label_selector = std::move(label_selector)})),
      pods_(runtime.cache(kPods, {.label_selector = std::string(nodes::kPlayedLabel)})),
      addresses_(settings_->pods) {
  pods_.add_index(kDeploymentIndex,
                  [](const json::Object& pod) { return std::vector{deployment_of(pod).to_string()}; });
  following_ = pods_.on_change([this](const kube::Change<json::Object>& change) {
    const bool is_gone =
        change.before && (!change.after || kube::uid_of(*change.before) != kube::uid_of(*change.after));
    if (is_gone) addresses_.hold_only({}, kube::uid_of(*change.before));
    if (!change.after) return;
    if (const auto address = json::get_string(*change.after, {"status", "podIP"}))
      addresses_.hold(*address, kube::uid_of(*change.after));
  });
  kube::ControlLoop<nodes::Observed, nodes::Action> loop{
      .observe = [this](kube::ObjectKey key) { return observe(std::move(key)); },
      .decide = nodes::decide,
      .act = [this](nodes::Action action) { return act(std::move(action)); },
      .execution = {.max_retries = 0}};
  controller_ = &kube::add_control_loop<nodes::Observed, nodes::Action>(
      runtime,
      {.name = "nodes", .workers = 4, .backoff = {.cap = std::chrono::seconds(30)}, .metrics = &registry},
      std::move(loop));
  controller_->watch<json::Object>(deployments_);
  controller_->watch<json::Object>(pods_,
                                   [](const json::Object& pod) { return std::vector{deployment_of(pod)}; });
}

NodePlayer::~NodePlayer() = default;

boost::asio::awaitable<void> NodePlayer::stop() {
  while (!running_.empty()) {
    auto going = running_.extract(running_.begin());
    for (const auto& listener : going.mapped().listeners) co_await listener->stop();
  }
}

nodes::Observed::Pod NodePlayer::observe_pod(const std::shared_ptr<const json::Object>& pod) {
  const std::string_view uid = kube::uid_of(*pod);
  nodes::Observed::Pod seen{.object = pod};
  const auto running = running_.find(kube::key_of(*pod));
  seen.is_running = running != running_.end() && running->second.uid == uid;
  const std::string_view told = json::get_string(*pod, {"status", "podIP"}).value_or("");
  if (addresses_.holder_of(told) == uid) {
    seen.address = told;
  } else if (const auto proposed = addresses_.propose(uid)) {
    // Held from here on, so that the pods of one look get different ones.
    addresses_.hold(*proposed, uid);
    seen.address = *proposed;
  }
  return seen;
}

Task<nodes::Observed> NodePlayer::observe(kube::ObjectKey key) {
  nodes::Observed seen{.key = key,
                       .deployment = deployments_.get(key),
                       .settings = settings_,
                       .now = runtime_.client().clock().now()};
  for (const auto& pod : pods_.by_index(kDeploymentIndex, key.to_string()))
    seen.pods.push_back(observe_pod(pod));
  for (const auto& [pod, running] : running_) {
    const auto object = pods_.get(pod);
    const bool is_there = object && kube::uid_of(*object) == running.uid;
    if (running.deployment == key && !is_there) seen.ghosts.push_back(pod);
  }
  co_return seen;
}

Task<void> NodePlayer::act(nodes::Action action) {
  const auto done = co_await std::visit([this](const auto& one) { return carry_out(one); }, action);
  if (done) co_return Result<void>{};
  const ErrorCode code = done.error().code;
  // Something else was there first; that it is makes the Deployment due by itself.
  const bool is_overtaken =
      code == ErrorCode::Conflict || code == ErrorCode::NotFound || code == ErrorCode::AlreadyExists;
  if (is_overtaken) co_return Result<void>{};
  co_return std::unexpected(done.error());
}

Task<void> NodePlayer::carry_out(const nodes::CreatePod& action) {
  const std::string ns(kube::namespace_of(action.pod));
  FAIRWAY_CO_CHECKED(
      co_await runtime_.client().create(kPods.in(ns), action.pod, {.field_manager = kNodesManager}));
  co_return Result<void>{};
}

Task<void> NodePlayer::carry_out(const nodes::DeletePod& action) {
  FAIRWAY_CO_CHECKED(co_await runtime_.client().remove(kPods.at(action.key),
                                                       {.grace_period_seconds = 0, .uid = action.uid}));
  co_return Result<void>{};
}

Task<void> NodePlayer::carry_out(const nodes::RunPod& action) {
  const auto object = pods_.get(action.key);
  if (!object || kube::uid_of(*object) != action.uid) co_return fail(ErrorCode::NotFound, "the pod is gone");
  if (running_.contains(action.key)) FAIRWAY_CO_CHECKED(co_await carry_out(nodes::StopPod{action.key}));
  Running made{.uid = action.uid, .deployment = deployment_of(*object), .address = action.address};
  std::optional<Error> failure;
  for (const nodes::PodPort& port : action.ports) {
    auto listener = http::TcpListener::listen(
        executor_, runtime_.client().clock(), {action.address, port.port}, {},
        [this, identity = EchoIdentity{action.key.name, port.health_paths}](
            std::unique_ptr<http::TcpStream> stream) { return answer(identity, std::move(stream)); });
    if (!listener) {
      failure = listener.error();
      break;
    }
    made.listeners.push_back(*std::move(listener));
  }
  if (!failure) {
    running_.emplace(action.key, std::move(made));
    co_return Result<void>{};
  }
  for (const auto& listener : made.listeners) co_await listener->stop();
  failure->code = ErrorCode::Unavailable;
  co_return std::unexpected(std::move(*failure).within(fmt::format("the pod {}", action.key.to_string())));
}

Task<void> NodePlayer::carry_out(const nodes::StopPod& action) {
  auto going = running_.extract(action.key);
  if (going.empty()) co_return Result<void>{};
  for (const auto& listener : going.mapped().listeners) co_await listener->stop();
  co_return Result<void>{};
}

Task<void> NodePlayer::carry_out(const nodes::WritePodStatus& action) {
  json::Object patch;
  json::ensure_object(patch, {"metadata"})["resourceVersion"] = kube::resource_version_of(*action.pod);
  patch["status"] = action.status;
  FAIRWAY_CO_CHECKED(co_await runtime_.client().patch(kPods.at(kube::key_of(*action.pod), "status"),
                                                      kube::PatchKind::Merge, std::move(patch),
                                                      {.field_manager = kNodesManager}));
  co_return Result<void>{};
}

Task<void> NodePlayer::carry_out(const nodes::WriteDeploymentStatus& action) {
  json::Object patch;
  json::ensure_object(patch, {"metadata"})["resourceVersion"] = kube::resource_version_of(*action.deployment);
  patch["status"] = action.patch;
  FAIRWAY_CO_CHECKED(co_await runtime_.client().patch(
      kDeployments.at(kube::key_of(*action.deployment), "status"), kube::PatchKind::Merge, std::move(patch),
      {.field_manager = kNodesManager}));
  co_return Result<void>{};
}

Task<void> NodePlayer::answer(EchoIdentity identity, std::unique_ptr<http::TcpStream> stream) {
  TimerClock& clock = runtime_.client().clock();
  EchoSession session(std::move(identity), stream->peer().address, stream->peer().port);
  std::array<char, 4096> block;
  for (;;) {
    FAIRWAY_CO_TRY(
        const std::size_t count,
        co_await async::with_deadline(clock, clock.steady() + kIdleTimeout, stream->read_some(block)));
    if (count == 0) co_return Result<void>{};
    const EchoSession::Output said = session.feed({block.data(), count});
    if (!said.bytes.empty()) FAIRWAY_CO_CHECKED(co_await stream->write(said.bytes));
    if (said.is_over) co_return Result<void>{};
  }
}

}  // namespace fairway::cloud
