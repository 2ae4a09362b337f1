#include "cli/up_fleet.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/cluster_options.hpp"
#include "cli/example_releases.hpp"
#include "cli/up_member.hpp"
#include "fleet/hub/placement_controller.hpp"
#include "fleet/hub/policy_controller.hpp"
#include "fleet/hub/rollout_controller.hpp"
#include "kube/client/transport.hpp"

namespace fairway::cli {
namespace {

// Nobody waits for a person here, and nobody else is on this server.
kube::ClientOptions unhurried(metrics::Registry& registry) {
  return {.requests_per_second = 0, .metrics = &registry};
}

}  // namespace

struct UpFleet::Hub {
  Hub(ConnectedClient connected, std::unique_ptr<metrics::Registry> counts)
      : registry(std::move(counts)),
        client(std::move(connected)),
        runtime(*client.client, {.name = "fairway-controllers", .metrics = registry.get()}),
        placements(runtime, {}, *registry),
        policies(runtime, {}, *registry),
        rollouts(runtime, {}, *registry) {}

  Task<void> prepare() {
    FAIRWAY_CO_CHECKED(co_await placements.prepare());
    FAIRWAY_CO_CHECKED(co_await policies.prepare());
    co_return co_await rollouts.prepare();
  }

  std::unique_ptr<metrics::Registry> registry;
  ConnectedClient client;
  kube::Runtime runtime;
  fleet::PlacementController placements;
  fleet::PolicyController policies;
  fleet::RolloutController rollouts;
};

UpFleet::UpFleet(async::EventLoop& loop)
    : loop_(loop), tasks_(loop.executor(), [](const std::string& name, const Error& error) {
        log::error("ended", {{"what", name}, {"error", error.describe()}});
      }) {}

UpFleet::~UpFleet() = default;

Result<void> UpFleet::add_hub(const UpFleetSettings& settings) {
  auto registry = std::make_unique<metrics::Registry>();
  FAIRWAY_TRY(
      ConnectedClient client,
      connect(loop_, {.kubeconfig = settings.kubeconfig, .context = settings.hub}, unhurried(*registry)));
  hub_ = std::make_unique<Hub>(std::move(client), std::move(registry));
  FAIRWAY_CHECKED(loop_.block_on(hub_->prepare()));
  tasks_.spawn("the hub's controllers", hub_->runtime.run());
  tasks_.spawn("the rollouts' events", hub_->rollouts.run());
  return {};
}

Result<void> UpFleet::add_members(const UpFleetSettings& settings) {
  if (settings.members == 0) return {};
  MemberSettings shared{.data = settings.data,
                        .update_service = settings.update_service,
                        .releases = settings.data + "/releases",
                        .prometheus = settings.prometheus};
  FAIRWAY_CHECKED(write_example_releases(shared.releases));
  shared.running = example_running_release();
  // One transport for all: they are behind one address, and the same administrator asks.
  std::shared_ptr<http::Transport> transport;
  for (std::size_t number = 1; number <= settings.members; ++number) {
    const MemberProfile profile = member_profile(number);
    FAIRWAY_TRY(const kube::ClientConfig config,
                client_config({.kubeconfig = settings.kubeconfig, .context = profile.name}));
    if (!transport) {
      FAIRWAY_TRY(transport, kube::make_transport(loop_.executor(), loop_.clock(), config));
    }
    auto registry = std::make_unique<metrics::Registry>();
    auto client =
        std::make_unique<kube::Client>(transport, loop_.clock(), config.server, unhurried(*registry));
    members_.push_back(std::make_unique<UpMember>(loop_, profile, shared, std::move(registry),
                                                  std::move(client), *hub_->client.client));
  }
  return prepare_members();
}

// All at once: the server makes the writes of many durable together.
Result<void> UpFleet::prepare_members() {
  std::optional<Error> failure;
  async::TaskGroup preparing(loop_.executor(), [&](const std::string& name, const Error& error) {
    if (!failure) failure = error.within(fmt::format("preparing {}", name));
  });
  for (const auto& each : members_) preparing.spawn(each->name(), each->prepare());
  loop_.run_until([&] { return preparing.size() == 0; });
  if (failure) return std::unexpected(*std::move(failure));
  for (const auto& each : members_) each->run(tasks_);
  return {};
}

bool UpFleet::is_ready() const {
  return hub_->runtime.health().is_ready &&
         std::ranges::all_of(members_, [](const auto& each) { return each->is_ready(); });
}

Result<std::unique_ptr<UpFleet>> UpFleet::start(async::EventLoop& loop, const UpFleetSettings& settings) {
  std::unique_ptr<UpFleet> fleet(new UpFleet(loop));
  FAIRWAY_CHECKED(fleet->add_hub(settings));
  FAIRWAY_CHECKED(fleet->add_members(settings));
  loop.run_until([&] { return fleet->is_ready(); });
  return fleet;
}

boost::asio::awaitable<void> UpFleet::stop() {
  co_await tasks_.stop();
  for (const auto& each : members_) co_await each->stop();
}

}  // namespace fairway::cli
