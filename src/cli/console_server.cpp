#include "cli/console_server.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/build_facts.hpp"
#include "cli/cluster_options.hpp"
#include "cli/metrics_source.hpp"
#include "cli/prometheus_explain.hpp"
#include "http/credential_files.hpp"
#include "kube/client/transport.hpp"

namespace fairway::cli {
namespace {

// How long a user waits for a tree of values.
constexpr Duration kMostTime = std::chrono::seconds(10);

Result<console::Explained> explain_file(const std::string& path, const promql::Expr& query) {
  FAIRWAY_TRY(const LoadedMetrics metrics, load_metrics({path}, ""));
  const SystemClock clock;
  auto found = promql::explain(query, metrics.store, metrics.now,
                               {.eval = {.limits = {.max_time = kMostTime}, .clock = &clock}});
  return console::Explained{.verdict = promql::judge(found.result), .tree = std::move(found.tree)};
}

console::Explainer explainer(const std::string& place) {
  if (http::is_url(place)) {
    return [place](const promql::Expr& query) -> Result<console::Explained> {
      FAIRWAY_TRY(auto found, explain_at({.url = place, .timeout = kMostTime}, query, SystemClock().now()));
      return console::Explained{.verdict = std::move(found.verdict), .tree = std::move(found.tree)};
    };
  }
  return [place](const promql::Expr& query) { return explain_file(place, query); };
}

// Its address and whom to trust, and nothing that says who we are.
Result<console::Upstream> open_api(async::EventLoop& loop, const kube::Kubeconfig& kubeconfig,
                                   const std::string& context) {
  FAIRWAY_TRY(kube::ClientConfig config, kube::resolve_context(kubeconfig, {.context = context}));
  config.authentication = {};
  FAIRWAY_TRY(auto transport, kube::make_transport(loop.executor(), loop.clock(), config));
  return console::Upstream{.name = context, .server = config.server, .transport = std::move(transport)};
}

Result<void> add_clusters(async::EventLoop& loop, const ConsoleServerSettings& settings,
                          console::ConsoleSettings& console) {
  FAIRWAY_TRY(const kube::Kubeconfig kubeconfig, kube::load_kubeconfig(*settings.kubeconfig));
  if (kubeconfig.contexts.empty())
    return fail(ErrorCode::NotFound,
                "no kubeconfig names a cluster: give one that does, or show the graph alone");
  const std::string hub = settings.hub.empty() ? kubeconfig.current_context : settings.hub;
  const std::string known = join(kubeconfig.context_names(), ", ");
  if (kubeconfig.context(hub) == nullptr)
    return fail(ErrorCode::NotFound,
                fmt::format("the kubeconfig has no context {} to be the hub; it has {}", quoted(hub), known));
  for (const auto& [name, place] : settings.metrics) {
    if (kubeconfig.context(name) == nullptr)
      return fail(ErrorCode::NotFound,
                  fmt::format("metrics are given for {}, which is no context of the kubeconfig; it has {}",
                              quoted(name), known));
  }
  for (const std::string& name : kubeconfig.context_names()) {
    console::ConsoleCluster cluster{.name = name, .is_hub = name == hub};
    FAIRWAY_TRY(cluster.api, open_api(loop, kubeconfig, name));
    if (const auto place = settings.metrics.find(name); place != settings.metrics.end())
      cluster.explain = explainer(place->second);
    console.clusters.push_back(std::move(cluster));
  }
  return {};
}

}  // namespace

ConsoleServer::ConsoleServer(Endpoint listen, console::ConsoleSettings settings)
    : listen_(std::move(listen)), console_(std::move(settings), pool_) {}

Result<std::unique_ptr<ConsoleServer>> ConsoleServer::start(async::EventLoop& loop,
                                                            const ConsoleServerSettings& settings) {
  console::ConsoleSettings console{.version = std::string(build::kVersion)};
  if (settings.kubeconfig) FAIRWAY_CHECKED(add_clusters(loop, settings, console));
  if (!settings.update_service.empty()) {
    console::Upstream updates{.name = "the update service"};
    FAIRWAY_TRY(updates.server, http::Url::parse(settings.update_service));
    http::ClientOptions options;
    FAIRWAY_TRY(options.tls, http::tls_for(updates.server, settings.update_service_ca));
    updates.transport = std::make_shared<http::Client>(loop.executor(), loop.clock(), std::move(options));
    console.updates = std::move(updates);
  }
  std::unique_ptr<ConsoleServer> made(new ConsoleServer(settings.listen, std::move(console)));
  const http::ServerOptions at{.address = settings.listen.address, .port = settings.listen.port};
  const http::Handler handler = [&pages = made->console_](const http::Request& request,
                                                          http::ResponseWriter& writer) {
    return pages.serve(request, writer);
  };
  FAIRWAY_TRY(made->server_, http::Server::listen(loop.executor(), loop.clock(), at, handler));
  return made;
}

std::string ConsoleServer::url() const {
  return fmt::format("http://{}/", to_string(Endpoint{listen_.address, server_->port()}));
}

}  // namespace fairway::cli
