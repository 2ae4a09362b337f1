#include "cli/device_servers.hpp"

#include <fmt/format.h>

#include "apiserver/server.hpp"
#include "async/event_loop.hpp"
#include "async/notify.hpp"
#include "base/text.hpp"
#include "cli/device_rewrite.hpp"
#include "device/programs.hpp"
#include "kube/client/client_config.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/transport.hpp"

namespace fairway::cli {
namespace {

using device::RewriteReport;
using device::StoragePosition;
using device::StorageWork;

constexpr Duration kPause = std::chrono::milliseconds(200);

Result<std::unique_ptr<kube::Client>> make_client(async::EventLoop& loop, const kube::ClientConfig& config) {
  FAIRWAY_TRY(auto transport, kube::make_transport(loop.executor(), loop.clock(), config));
  // Nobody else is there whom many requests could disturb.
  return std::make_unique<kube::Client>(std::move(transport), loop.clock(), config.server,
                                        kube::ClientOptions{.requests_per_second = 0});
}

RewriteRequest request_for(const StorageWork& work, const std::string& cluster) {
  RewriteRequest request{.cluster = cluster,
                         .definitions = work.definitions,
                         .resources = work.step.resources,
                         .page_size = work.step.page_size,
                         .wait = work.step.wait};
  if (const auto from = StoragePosition::parse(work.position); from.cluster == cluster) request.from = from;
  request.save = [&work](const StoragePosition& position) {
    return work.save ? work.save(position.serialize()) : Result<void>{};
  };
  return request;
}

Result<void> rewrite_on(async::EventLoop& loop, const kube::ClientConfig& config, const StorageWork& work,
                        const std::string& cluster, RewriteReport& report) {
  FAIRWAY_TRY(const auto client, make_client(loop, config));
  DeviceRewrite rewrite(*client, request_for(work, cluster), report);
  return loop.block_on(rewrite.run());
}

// Each logical cluster has definitions and objects of its own.
Result<void> rewrite_clusters(async::EventLoop& loop, const apiserver::ApiServer& server,
                              const StorageWork& work, RewriteReport& report) {
  FAIRWAY_TRY(const auto kubeconfig, kube::parse_kubeconfig(server.kubeconfig(), "the server's kubeconfig"));
  const auto from = StoragePosition::parse(work.position);
  for (const std::string& cluster : server.clusters()) {
    if (cluster < from.cluster) continue;  // they come in this order: done already
    FAIRWAY_TRY(const auto config, kube::resolve_context(kubeconfig, {.context = cluster}));
    if (auto done = rewrite_on(loop, config, work, cluster, report); !done)
      return std::unexpected(std::move(done).error().within(fmt::format("cluster {}", cluster)));
  }
  return {};
}

Task<void> stop(apiserver::ApiServer& server) {
  co_await server.stop();
  co_return Result<void>{};
}

Result<RewriteReport> migrate_embedded(const StorageWork& work) {
  async::EventLoop loop;
  auto server = loop.block_on(apiserver::ApiServer::start(loop, {.data_directory = work.data}));
  if (!server)
    return std::unexpected(std::move(server).error().within("starting the API server on the data"));
  RewriteReport report;
  const Result<void> done = rewrite_clusters(loop, **server, work, report);
  FAIRWAY_CHECKED(loop.block_on(stop(**server)));
  if (!done) return std::unexpected(done.error());
  return report;
}

Task<void> wait_until_ready(kube::Client& client, device::RunningProgram* program, Duration wait) {
  const SteadyTime until = client.clock().steady() + wait;
  while (true) {
    const auto answer = co_await client.call_text({.method = "GET", .path_and_query = "/readyz"});
    if (answer) co_return Result<void>{};
    if (program != nullptr && program->has_ended())
      co_return fail(ErrorCode::Unavailable, "the API server ended before it was ready");
    if (client.clock().steady() >= until)
      co_return std::unexpected(answer.error().within("waiting for the API server"));
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(client.clock(), kPause));
  }
}

Result<RewriteReport> migrate_remote(const StorageWork& work) {
  std::optional<device::RunningProgram> program;
  if (!work.step.program.empty()) {
    FAIRWAY_TRY(auto started, device::RunningProgram::start(work.step.program));
    program.emplace(std::move(started));
  }
  async::EventLoop loop;
  kube::ConfigSources sources;
  sources.kubeconfig.explicit_file = work.step.kubeconfig;
  sources.choice.context = work.step.context;
  FAIRWAY_TRY(const kube::ClientConfig config, kube::load_client_config(sources));
  FAIRWAY_TRY(const auto client, make_client(loop, config));
  FAIRWAY_CHECKED(loop.block_on(wait_until_ready(*client, program ? &*program : nullptr, work.step.wait)));
  RewriteReport report;
  FAIRWAY_CHECKED(rewrite_on(loop, config, work, "", report));
  return report;
}

}  // namespace

device::MigrateStorage storage_migrator() {
  return [](const StorageWork& work) {
    return work.step.kubeconfig.empty() ? migrate_embedded(work) : migrate_remote(work);
  };
}

}  // namespace fairway::cli
