#include "updateservice/update_service.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "async/files.hpp"
#include "async/process.hpp"
#include "async/task_group.hpp"
#include "async/worker_pool.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "http/credential_files.hpp"
#include "http/prepared_server.hpp"
#include "json/value.hpp"
#include "updateservice/backstage.hpp"
#include "updateservice/past_graphs.hpp"
#include "updateservice/question.hpp"
#include "updateservice/refresher.hpp"
#include "updateservice/service_parts.hpp"
#include "updateservice/status_page.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::size_t kWorkers = 2;

Result<std::optional<ClientTokens>> read_tokens(const std::string& file) {
  if (file.empty()) return std::nullopt;
  FAIRWAY_TRY(const std::string text, read_file(file));
  auto tokens = ClientTokens::parse(text);
  if (!tokens)
    return std::unexpected(std::move(tokens).error().within(fmt::format("while reading {}", quoted(file))));
  return *std::move(tokens);
}

http::PreparedReply refusal(int status, std::string_view message) {
  const Problem problem{status, "bad_request", std::string(message)};
  return {http::PreparedAnswer::make(status, {{"Content-Type", kJson}},
                                     http::PreparedBody::make(problem.to_json()))};
}

std::shared_ptr<const http::PreparedAnswer> text_answer(int status, std::string_view type,
                                                        std::string_view text) {
  return http::PreparedAnswer::make(status,
                                    {{"Content-Type", std::string(type)}, {"Cache-Control", "no-store"}},
                                    http::PreparedBody::make(text));
}

// Seed 000's parts, there only when a Prometheus is configured.
struct TargetingParts {
  TargetingParts(async::EventLoop& loop, const TargetingSettings& settings,
                 std::shared_ptr<http::TlsContext> tls, async::WorkerPool& pool, async::TaskGroup& tasks,
                 metrics::Registry& registry)
      : client(loop.executor(), loop.clock(), {.tls = std::move(tls)}),
        prometheus(settings.prometheus, client, loop.clock(), pool),
        targeting([this](std::string query) { return prometheus.ask(std::move(query)); }, settings.lifetimes,
                  loop.clock(), tasks, registry) {}

  http::Client client;
  Prometheus prometheus;
  Targeting targeting;
};

}  // namespace

struct UpdateService::Impl {
  Impl(async::EventLoop& event_loop, UpdateServiceSettings given)
      : loop(event_loop),
        settings(std::move(given)),
        pool("update-service", kWorkers, async::WorkerPool::Urgency::Background),
        tasks(loop.executor(),
              [](const std::string& name, const Error& error) {
                log::error("a task failed", {{"task", name}, {"error", error.describe()}});
              }),
        process(loop.clock()),
        metrics(registry, settings.git_commit),
        backstage(loop, tasks, pool, settings.max_waiting, metrics.waiting),
        registries(settings.registry, loop.executor(), loop.clock()),
        graph_data(settings.graph_data, {pool, process, registries, settings.state_folder}),
        releases(settings.releases, {pool, registries, settings.state_folder}),
        past(graph_data, releases, pool, settings.build) {}

  Result<void> start();
  Task<std::string> list_revisions();
  Result<void> listen();
  Result<std::unique_ptr<http::PreparedServer>> listen(const ListenAddress& at, std::size_t threads,
                                                       http::PreparedHandler handler);
  void answer_status(const http::RequestView& request, http::Responder responder);
  void answer_readiness(bool is_verbose, http::Responder& responder);

  async::EventLoop& loop;
  UpdateServiceSettings settings;
  async::WorkerPool pool;
  async::TaskGroup tasks;
  SystemProcess process;
  metrics::Registry registry;
  ServiceMetrics metrics;
  Backstage backstage;
  oci::RegistryAccess registries;
  GraphDataSource graph_data;
  ReleaseSource releases;
  PastGraphs past;
  std::optional<ClientTokens> tokens;
  std::unique_ptr<TargetingParts> targeting;
  std::unique_ptr<Service> service;
  std::unique_ptr<Refresher> refresher;
  std::unique_ptr<http::PreparedServer> server;
  std::unique_ptr<http::PreparedServer> status_server;
  std::unique_ptr<http::PreparedServer> builder_server;
};

// {"revisions":[{"id","time","summary"}]}, the newest first.
Task<std::string> UpdateService::Impl::list_revisions() {
  FAIRWAY_CO_TRY(const auto revisions, co_await graph_data.list_past());
  json::Array listed;
  for (const GraphDataRevision& each : revisions)
    listed.push_back(json::Object{{"id", each.id}, {"time", each.time}, {"summary", each.summary}});
  co_return json::serialize(json::Object{{"revisions", std::move(listed)}});
}

Result<void> UpdateService::Impl::start() {
  if (!settings.state_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(settings.state_folder, error);
    if (error) {
      return fail(ErrorCode::Unavailable, fmt::format("cannot make the folder {}: {}",
                                                      quoted(settings.state_folder), error.message()));
    }
  }
  if (settings.targeting) {
    FAIRWAY_TRY(tokens, read_tokens(settings.targeting->client_tokens_file));
    FAIRWAY_TRY(auto tls, http::tls_for(settings.targeting->prometheus.url, settings.targeting->ca_file));
    targeting =
        std::make_unique<TargetingParts>(loop, *settings.targeting, std::move(tls), pool, tasks, registry);
  }
  settings.service.decides_by_id = targeting != nullptr;
  Targeting* const decides = targeting ? &targeting->targeting : nullptr;
  service = std::make_unique<Service>(
      settings.service,
      Service::Parts{
          .clock = loop.clock(),
          .backstage = backstage,
          .metrics = metrics,
          .targeting = decides,
          .tokens = tokens ? &*tokens : nullptr,
          .past_graph = graph_data.has_past()
                            ? PastGraph([this](std::string revision) { return past.at(std::move(revision)); })
                            : PastGraph(),
          .past_revisions =
              graph_data.has_past() ? PastRevisions([this] { return list_revisions(); }) : PastRevisions()});
  RefreshSettings refresh{.interval = settings.refresh_interval,
                          .build = settings.build,
                          .snapshot = {.decides_by_id = targeting != nullptr,
                                       .has_whole_graph = settings.builder_listen.has_value()}};
  refresher = std::make_unique<Refresher>(refresh, Refresher::Parts{.executor = loop.executor(),
                                                                    .clock = loop.clock(),
                                                                    .pool = pool,
                                                                    .service = *service,
                                                                    .metrics = metrics,
                                                                    .targeting = decides,
                                                                    .graph_data = graph_data,
                                                                    .releases = releases});
  FAIRWAY_CHECKED(listen());
  tasks.spawn("refresh", refresher->run());
  return {};
}

Result<std::unique_ptr<http::PreparedServer>> UpdateService::Impl::listen(const ListenAddress& at,
                                                                          std::size_t threads,
                                                                          http::PreparedHandler handler) {
  http::PreparedServerOptions options{.address = at.address, .port = at.port, .threads = threads};
  options.refusal = refusal;
  options.on_answer = [this](const http::RequestLog& answered) { service->note(answered); };
  return http::PreparedServer::listen(loop.clock(), std::move(options), std::move(handler));
}

Result<void> UpdateService::Impl::listen() {
  FAIRWAY_TRY(status_server,
              listen(settings.status_listen, 1, [this](const http::RequestView& request, http::Responder to) {
                answer_status(request, std::move(to));
              }));
  FAIRWAY_TRY(server, listen(settings.listen, settings.threads,
                             [this](const http::RequestView& request, http::Responder to) {
                               service->handle(request, std::move(to));
                             }));
  if (!settings.builder_listen) return {};
  FAIRWAY_TRY(builder_server, listen(*settings.builder_listen, 1,
                                     [this](const http::RequestView& request, http::Responder to) {
                                       service->handle_builder(request, std::move(to));
                                     }));
  return {};
}

void UpdateService::Impl::answer_status(const http::RequestView& request, http::Responder responder) {
  const std::string_view path = request.path;
  if (path == "/livez" || path == "/liveness") {
    responder.send({text_answer(200, "text/plain", "ok\n")});
  } else if (path == "/metrics") {
    responder.send({text_answer(200, metrics::Registry::kContentType, registry.expose())});
  } else if (path == "/readyz" || path == "/readiness") {
    // The refresher's status belongs to the loop.
    auto shared = std::make_shared<http::Responder>(std::move(responder));
    const bool is_verbose = parameter(request.query, "verbose").has_value();
    loop.post([this, shared, is_verbose] { answer_readiness(is_verbose, *shared); });
  } else {
    responder.send({http::PreparedAnswer::make(404, {}, http::PreparedBody::make({}))});
  }
}

void UpdateService::Impl::answer_readiness(bool is_verbose, http::Responder& responder) {
  Health health{.refresh = refresher->status(),
                .stale_after = settings.stale_after,
                .now = loop.clock().steady(),
                .decides_by_id = targeting != nullptr};
  if (targeting) health.failing_queries = targeting->targeting.failures();
  const bool is_ready = health.is_ready();
  const std::string text = is_verbose || !is_ready ? health.verbose() : "ok\n";
  responder.send({text_answer(is_ready ? 200 : 503, "text/plain", text)});
}

UpdateService::UpdateService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UpdateService::~UpdateService() = default;

Result<std::unique_ptr<UpdateService>> UpdateService::start(async::EventLoop& loop,
                                                            UpdateServiceSettings settings) {
  auto impl = std::make_unique<Impl>(loop, std::move(settings));
  FAIRWAY_CHECKED(impl->start());
  return std::unique_ptr<UpdateService>(new UpdateService(std::move(impl)));
}

std::uint16_t UpdateService::port() const {
  return impl_->server->port();
}

std::uint16_t UpdateService::status_port() const {
  return impl_->status_server->port();
}

std::optional<std::uint16_t> UpdateService::builder_port() const {
  return impl_->builder_server ? std::optional(impl_->builder_server->port()) : std::nullopt;
}

bool UpdateService::has_graph() const {
  return impl_->service->published() != nullptr;
}

void UpdateService::reload() {
  log::info("reading everything again");
  impl_->refresher->request();
}

boost::asio::awaitable<void> UpdateService::stop(Duration grace) {
  // The servers wait for requests that may wait for this loop, so they are stopped from a worker.
  Impl& parts = *impl_;
  co_await parts.pool.run([&parts, grace] {
    parts.server->stop(grace);
    if (parts.builder_server) parts.builder_server->stop(grace);
    parts.status_server->stop(grace);
    return true;
  });
  co_await parts.tasks.stop();
}

}  // namespace fairway::updateservice
