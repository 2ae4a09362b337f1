#include "cli/up_fleet.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cli/cluster_options.hpp"
#include "fleet/agent/agent.hpp"
#include "fleet/hub/kinds.hpp"
#include "fleet/hub/placement_controller.hpp"
#include "fleet/hub/policy_controller.hpp"
#include "fleet/hub/rollout_controller.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kHub = "hub";
const kube::ResourceType kNamespaces{
    .kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false};

// Nobody waits for a person here, and nobody else is on this server.
kube::ClientOptions unhurried(metrics::Registry& registry) {
  return {.requests_per_second = 0, .metrics = &registry};
}

json::Object named(const kube::ResourceType& type, const std::string& name) {
  json::Object object{{"apiVersion", type.kind.api_version()}, {"kind", type.kind.kind}};
  object["metadata"] = json::Object{{"name", name}};
  return object;
}

Task<void> ensure(kube::Client& client, kube::ResourceType type, json::Object object) {
  const auto made = co_await client.create(type.in(""), std::move(object));
  if (!made && made.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(made.error());
  co_return Result<void>{};
}

// As a cluster that has joined its hub and can be reached.
Task<void> introduce(kube::Client& hub, kube::Client& cluster, std::string name, WallTime now) {
  FAIRWAY_CO_CHECKED(co_await ensure(hub, kNamespaces, named(kNamespaces, name)));
  FAIRWAY_CO_CHECKED(co_await ensure(cluster, kNamespaces, named(kNamespaces, name)));
  json::Object managed = named(fleet::kManagedClusters, name);
  managed["metadata"].get_object()["labels"] = json::Object{{"name", name}};
  managed["spec"] = json::Object{{"hubAcceptsClient", true}};
  const auto made = co_await hub.create(fleet::kManagedClusters.in(""), std::move(managed));
  if (!made && made.error().code == ErrorCode::AlreadyExists) co_return Result<void>{};
  if (!made) co_return std::unexpected(made.error());
  json::Array conditions;
  for (const char* type :
       {"HubAcceptedManagedCluster", "ManagedClusterJoined", "ManagedClusterConditionAvailable"}) {
    conditions.push_back(json::Object{{"type", type},
                                      {"status", "True"},
                                      {"reason", "Embedded"},
                                      {"message", "it runs in the same process"},
                                      {"lastTransitionTime", format_rfc3339(now)}});
  }
  json::Object patch;
  json::ensure_object(patch, {"status"})["conditions"] = std::move(conditions);
  FAIRWAY_CO_CHECKED(co_await hub.patch(fleet::kManagedClusters.in("", name, "status"),
                                        kube::PatchKind::Merge, std::move(patch)));
  co_return Result<void>{};
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

struct UpFleet::Member {
  Member(async::EventLoop& loop, const std::string& name, ConnectedClient connected, ConnectedClient to_hub,
         std::unique_ptr<metrics::Registry> counts)
      : registry(std::move(counts)),
        client(std::move(connected)),
        hub(std::move(to_hub)),
        cluster_side(*client.client, {.name = "fairway-agent", .metrics = registry.get()}),
        hub_side(*hub.client, {.name = "fairway-agent"}),
        agent(cluster_side, hub_side, loop.executor(), {.cluster = name}, *registry) {}

  std::unique_ptr<metrics::Registry> registry;
  ConnectedClient client;
  ConnectedClient hub;
  kube::Runtime cluster_side;
  kube::Runtime hub_side;
  fleet::agent::ClusterAgent agent;
};

UpFleet::UpFleet(async::EventLoop& loop)
    : loop_(loop), tasks_(loop.executor(), [](const std::string& name, const Error& error) {
        log::error("ended", {{"what", name}, {"error", error.describe()}});
      }) {}

UpFleet::~UpFleet() = default;

Result<void> UpFleet::add_hub(const std::string& kubeconfig) {
  auto registry = std::make_unique<metrics::Registry>();
  FAIRWAY_TRY(ConnectedClient client,
              connect(loop_, {.kubeconfig = kubeconfig, .context = kHub}, unhurried(*registry)));
  hub_ = std::make_unique<Hub>(std::move(client), std::move(registry));
  FAIRWAY_CHECKED(loop_.block_on(hub_->prepare()));
  tasks_.spawn("the hub's controllers", hub_->runtime.run());
  tasks_.spawn("the rollouts' events", hub_->rollouts.run());
  return {};
}

Result<void> UpFleet::add_member(const std::string& kubeconfig, const std::string& name) {
  auto registry = std::make_unique<metrics::Registry>();
  FAIRWAY_TRY(ConnectedClient client,
              connect(loop_, {.kubeconfig = kubeconfig, .context = name}, unhurried(*registry)));
  FAIRWAY_TRY(ConnectedClient hub, connect(loop_, {.kubeconfig = kubeconfig, .context = kHub}));
  FAIRWAY_CHECKED(loop_.block_on(introduce(*hub.client, *client.client, name, loop_.clock().now())));
  members_.push_back(
      std::make_unique<Member>(loop_, name, std::move(client), std::move(hub), std::move(registry)));
  tasks_.spawn(fmt::format("the agent in {}", name), members_.back()->cluster_side.run());
  tasks_.spawn(fmt::format("the agent of {} on the hub", name), members_.back()->hub_side.run());
  return {};
}

bool UpFleet::is_ready() const {
  return hub_->runtime.health().is_ready && std::ranges::all_of(members_, [](const auto& each) {
           return each->cluster_side.health().is_ready && each->hub_side.health().is_ready;
         });
}

Result<std::unique_ptr<UpFleet>> UpFleet::start(async::EventLoop& loop, const std::string& kubeconfig,
                                                const std::vector<std::string>& members) {
  std::unique_ptr<UpFleet> fleet(new UpFleet(loop));
  FAIRWAY_CHECKED(fleet->add_hub(kubeconfig));
  for (const std::string& each : members) FAIRWAY_CHECKED(fleet->add_member(kubeconfig, each));
  loop.run_until([&] { return fleet->is_ready(); });
  return fleet;
}

boost::asio::awaitable<void> UpFleet::stop() {
  co_await tasks_.stop();
  for (const auto& each : members_) co_await each->agent.stop();
}

}  // namespace fairway::cli
