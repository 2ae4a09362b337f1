#include "cli/up_member.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"
#include "cli/build_facts.hpp"
#include "cli/example_releases.hpp"
#include "cloud/node_player.hpp"
#include "cloud/service_controller.hpp"
#include "clusterversion/controller.hpp"
#include "fleet/agent/agent.hpp"
#include "fleet/hub/kinds.hpp"
#include "ingress/operator.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Releases of the example are for this one, whatever this machine is.
constexpr const char* kArchitecture = "amd64";
// Services' ports are served so far above: low ones need root.
constexpr std::uint16_t kPortOffset = 8000;

std::string folder_of(const MemberSettings& settings, const MemberProfile& profile) {
  return fmt::format("{}/members/{}", settings.data, profile.name);
}

std::string metrics_file(const MemberSettings& settings, const MemberProfile& profile) {
  return folder_of(settings, profile) + "/metrics.prom";
}

// Nobody's monitoring is burdened here, and somebody is looking: pauses are short.
clusterversion::ControllerSettings version_settings(const MemberSettings& settings,
                                                    const MemberProfile& profile) {
  clusterversion::ControllerSettings made;
  auto& decisions = made.decisions;
  decisions.retrieval.architecture = kArchitecture;
  // Spread, so that members do not ask at the same moment.
  const double place = static_cast<double>(profile.number) / (kMostMembers + 1);
  decisions.retrieval.interval = clusterversion::retrieval_interval(place, seconds(4));
  decisions.pacing.between = milliseconds(200);
  decisions.pacing.same_query = seconds(3);
  decisions.pacing.first_round_pause = milliseconds(100);
  decisions.accepts_risks = true;
  decisions.rollout.accepts_risks = true;
  decisions.rollout.architecture = kArchitecture;
  made.graph.user_agent = fmt::format("ClusterVersionOperator/{}", build::kVersion);
  if (settings.prometheus.empty()) {
    made.scrape =
        clusterversion::ScrapeSettings{.sources = {metrics_file(settings, profile)}, .interval = seconds(2)};
  } else {
    made.prometheus = clusterversion::PrometheusAccess{.urls = settings.prometheus};
  }
  const ExampleReleases releases(settings.releases);
  made.payloads.directory = releases.images;
  made.payloads.architecture = kArchitecture;
  made.signature_stores = {releases.signatures};
  made.verification.keyring_file = releases.key;
  return made;
}

cloud::Settings cloud_settings(const MemberProfile& profile) {
  cloud::Settings made{.profile = *cloud::find_profile(profile.platform),
                       .external = profile.external,
                       .internal = profile.internal,
                       .port_offset = kPortOffset,
                       .domain = fmt::format("{}.cloud.test", profile.name)};
  made.profile.delays = {
      .provision = milliseconds(500), .deprovision = milliseconds(500), .mutate = milliseconds(500)};
  return made;
}

cloud::nodes::Settings node_settings(const MemberProfile& profile) {
  return {.pods = profile.pods,
          .port_offset = kPortOffset,
          .node = fmt::format("{}-node", profile.name),
          .min_ready = seconds(1)};
}

ingress::OperatorSettings ingress_settings() {
  ingress::OperatorSettings made;
  made.version = build::kVersion;
  return made;
}

// As a cluster that has joined its hub and can be reached.
json::Object joined_patch(WallTime now) {
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
  return patch;
}

// What is there already stays as it is.
Task<void> ensure(kube::Client& client, kube::ResourceType type, json::Object object) {
  const kube::ObjectKey key = kube::key_of(object);
  json::Value status;
  if (auto* found = object.if_contains("status")) status = std::move(*found);
  object.erase("status");
  const auto made = co_await client.create(type.in(key.namespace_), std::move(object));
  if (!made && made.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(made.error());
  if (status.is_null()) co_return Result<void>{};
  json::Object patch{{"status", std::move(status)}};
  FAIRWAY_CO_CHECKED(co_await client.patch(type.at(key, "status"), kube::PatchKind::Merge, std::move(patch)));
  co_return Result<void>{};
}

bool has_history(const json::Object& cluster_version) {
  const json::Array* history = json::get_array(cluster_version, {"status", "history"});
  return history != nullptr && !history->empty();
}

}  // namespace

struct UpMember::Parts {
  Parts(async::EventLoop& loop, const MemberProfile& profile, const MemberSettings& settings,
        kube::Client& client, kube::Client& hub, metrics::Registry& registry)
      : controllers(client, {.name = "fairway-controllers", .metrics = &registry, .seed = profile.number}),
        cloud_side(client, {.name = cloud::kComponent, .seed = profile.number}),
        hub_side(hub, {.name = "fairway-agent", .seed = profile.number}),
        agent(controllers, hub_side, loop.executor(), {.cluster = profile.name}, registry),
        versions(loop, controllers, registry, version_settings(settings, profile)),
        routers(controllers, ingress_settings(), registry),
        balancers(cloud_side, loop.executor(), cloud_settings(profile), {}, registry),
        nodes(cloud_side, loop.executor(), "", node_settings(profile), registry) {}

  kube::Runtime controllers;
  kube::Runtime cloud_side;
  kube::Runtime hub_side;
  fleet::agent::ClusterAgent agent;
  clusterversion::ClusterVersionController versions;
  ingress::IngressOperator routers;
  cloud::ServiceController balancers;
  cloud::NodePlayer nodes;
};

UpMember::UpMember(async::EventLoop& loop, MemberProfile profile, MemberSettings settings,
                   std::unique_ptr<metrics::Registry> registry, std::unique_ptr<kube::Client> cluster,
                   kube::Client& hub)
    : loop_(loop),
      profile_(std::move(profile)),
      settings_(std::move(settings)),
      registry_(std::move(registry)),
      cluster_(std::move(cluster)),
      hub_(hub),
      parts_(std::make_unique<Parts>(loop, profile_, settings_, *cluster_, hub_, *registry_)) {}

UpMember::~UpMember() = default;

// The folder is there with all that belongs into it, or it is not there. One that is there is the user's.
Result<void> UpMember::write_files() const {
  namespace fs = std::filesystem;
  const std::string folder = folder_of(settings_, profile_);
  std::error_code error;
  if (fs::exists(folder, error)) return {};
  const std::string partial = folder + ".new";
  fs::create_directories(partial, error);
  if (const auto metrics = member_metrics(profile_))
    FAIRWAY_CHECKED(replace_file(partial + "/metrics.prom", *metrics));
  fs::rename(partial, folder, error);
  if (error)
    return fail(ErrorCode::Unavailable, fmt::format("cannot make {}: {}", quoted(folder), error.message()));
  return {};
}

// A member with a history was made by an earlier start: what the user took away since is not brought back.
Task<void> UpMember::create_objects() {
  const kube::ResourceType type = cluster_version_type();
  const auto found = co_await cluster_->get(type.in("", "version"));
  if (!found && found.error().code != ErrorCode::NotFound) co_return std::unexpected(found.error());
  if (found && has_history(*found)) {
    if (auto patch = upstream_patch(*found, settings_.update_service)) {
      FAIRWAY_CO_CHECKED(
          co_await cluster_->patch(type.in("", "version"), kube::PatchKind::Merge, *std::move(patch)));
    }
    co_return Result<void>{};
  }
  for (MemberObject& each :
       member_objects(profile_, settings_.running, settings_.update_service, loop_.clock().now()))
    FAIRWAY_CO_CHECKED(co_await ensure(*cluster_, each.type, std::move(each.object)));
  co_return Result<void>{};
}

Task<void> UpMember::introduce() {
  FAIRWAY_CO_CHECKED(co_await ensure(hub_, namespace_type(), named(namespace_type(), profile_.name)));
  FAIRWAY_CO_CHECKED(co_await ensure(*cluster_, namespace_type(), named(namespace_type(), profile_.name)));
  json::Object managed = named(fleet::kManagedClusters, profile_.name);
  managed["metadata"].get_object()["labels"] =
      json::Object{{"name", profile_.name}, {"platform", profile_.platform}};
  managed["spec"] = json::Object{{"hubAcceptsClient", true}};
  const auto made = co_await hub_.create(fleet::kManagedClusters.in(""), std::move(managed));
  if (!made && made.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(made.error());
  if (!made) {
    FAIRWAY_CO_TRY(const json::Object known,
                   co_await hub_.get(fleet::kManagedClusters.in("", profile_.name)));
    if (!kube::conditions_of(known).empty()) co_return Result<void>{};
  }
  FAIRWAY_CO_CHECKED(co_await hub_.patch(fleet::kManagedClusters.in("", profile_.name, "status"),
                                         kube::PatchKind::Merge, joined_patch(loop_.clock().now())));
  co_return Result<void>{};
}

Task<void> UpMember::prepare() {
  FAIRWAY_CO_CHECKED(write_files());
  FAIRWAY_CO_CHECKED(co_await create_objects());
  FAIRWAY_CO_CHECKED(co_await introduce());
  FAIRWAY_CO_CHECKED(co_await parts_->versions.prepare());
  co_return co_await parts_->routers.prepare();
}

void UpMember::run(async::TaskGroup& tasks) {
  tasks.spawn(fmt::format("the controllers in {}", name()), parts_->controllers.run());
  tasks.spawn(fmt::format("the metrics of {}", name()), parts_->versions.run());
  tasks.spawn(fmt::format("the cloud of {}", name()), parts_->cloud_side.run());
  tasks.spawn(fmt::format("the agent of {} on the hub", name()), parts_->hub_side.run());
}

bool UpMember::is_ready() const {
  return parts_->controllers.health().is_ready && parts_->cloud_side.health().is_ready &&
         parts_->hub_side.health().is_ready;
}

boost::asio::awaitable<void> UpMember::stop() {
  co_await parts_->agent.stop();
  co_await parts_->versions.stop();
  co_await parts_->balancers.stop();
  co_await parts_->nodes.stop();
}

}  // namespace fairway::cli
