#include "apiserver/server.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "apiserver/access.hpp"
#include "apiserver/audit.hpp"
#include "apiserver/bootstrap.hpp"
#include "apiserver/clusters.hpp"
#include "apiserver/definitions.hpp"
#include "apiserver/endpoints.hpp"
#include "apiserver/events_expiry.hpp"
#include "apiserver/front.hpp"
#include "apiserver/garbage.hpp"
#include "apiserver/namespaces.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/pki.hpp"
#include "apiserver/rest.hpp"
#include "async/callback.hpp"
#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "http/tls.hpp"
#include "store/store.hpp"

namespace fairway::apiserver {
namespace {

constexpr Duration kMaintenanceInterval = std::chrono::minutes(1);

// Keys of a server that keeps nothing: made in a folder that is gone again when this returns.
Result<Pki> make_temporary_pki(PkiOptions options, const Clock& clock) {
  std::string pattern = (std::filesystem::temp_directory_path() / "fairway-pki-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot make a folder in {}",
                            fairway::quoted(std::filesystem::temp_directory_path().string())));
  }
  options.directory = pattern + "/pki";
  auto pki = load_pki(options, clock);
  std::error_code ignored;
  std::filesystem::remove_all(pattern, ignored);
  return pki;
}

PkiOptions pki_options(const ServerSettings& settings) {
  PkiOptions options;
  options.directory = settings.data_directory + "/pki";
  options.dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
  options.ip_addresses = {"127.0.0.1", "::1"};
  std::vector<std::string> more = settings.tls_names;
  more.push_back(settings.address);
  if (!settings.public_host.empty()) more.push_back(settings.public_host);
  for (const std::string& name : more) {
    const bool is_address =
        name.find(':') != std::string::npos || name.find_first_not_of("0123456789.") == std::string::npos;
    auto& list = is_address ? options.ip_addresses : options.dns_names;
    const bool is_wildcard = name == "0.0.0.0" || name == "::";
    if (!is_wildcard && std::ranges::find(list, name) == list.end()) list.push_back(name);
  }
  return options;
}

}  // namespace

struct ApiServer::Impl {
  Impl(async::EventLoop& its_loop, ServerSettings given)
      : loop(its_loop),
        settings(std::move(given)),
        clock(settings.clock ? *settings.clock : its_loop.clock()),
        tasks(its_loop.executor()) {}

  async::EventLoop& loop;
  ServerSettings settings;
  TimerClock& clock;
  Pki pki;
  std::unique_ptr<store::Store> store;
  Clusters clusters;
  std::optional<Objects> objects;
  std::optional<Definitions> definitions;
  std::optional<Namespaces> namespaces;
  std::optional<GarbageCollector> garbage;
  std::optional<Access> access;
  std::optional<Rest> rest;
  std::unique_ptr<AuditLog> audit;
  std::unique_ptr<Endpoints> endpoints;
  std::unique_ptr<Front> front;
  metrics::Registry metrics;
  store::Subscription changes;
  std::unique_ptr<http::Server> server;
  async::TaskGroup tasks;

  Result<void> open();
  Result<std::shared_ptr<http::TlsContext>> tls_context() const;
  void follow_changes();
  Task<void> bootstrap();
  Result<void> listen();
  Task<void> maintain();
  Task<void> renew_certificates();
  std::string host() const;
};

Result<void> ApiServer::Impl::open() {
  const bool is_temporary = settings.data_directory.empty();
  if (!is_temporary) {
    std::error_code error;
    std::filesystem::create_directories(settings.data_directory, error);
    if (error) {
      return fail(ErrorCode::Unavailable,
                  fmt::format("the data directory {} cannot be made: {}",
                              fairway::quoted(settings.data_directory), error.message()));
    }
  }
  FAIRWAY_TRY(pki, is_temporary ? make_temporary_pki(pki_options(settings), clock)
                                : load_pki(pki_options(settings), clock));
  store::StoreOptions options{.directory = is_temporary ? "" : settings.data_directory + "/store",
                              .clock = clock,
                              .post = [this](store::Job job) { loop.post(std::move(job)); }};
  options.history.max_age = settings.history_age;
  options.history.max_changes = settings.history_changes;
  options.ring_changes = std::min(options.ring_changes, settings.history_changes);
  FAIRWAY_TRY(store, store::Store::open(std::move(options)));
  clusters.add(kHubCluster);
  for (const std::string& name : settings.clusters) {
    if (!is_cluster_name(name)) {
      return fail(ErrorCode::Invalid,
                  fmt::format("expected a cluster name of lower-case letters, digits and '-', found {}",
                              fairway::quoted(name)));
    }
    clusters.add(name);
  }
  for (const auto& count : store->resources()) clusters.add(count.cluster);
  objects.emplace(*store, clock);
  definitions.emplace(*objects, clusters, clock);
  namespaces.emplace(*objects, clusters, clock);
  garbage.emplace(*objects, clusters, clock);
  access.emplace(*objects, clusters, clock, pki.authority.certificate_pem);
  rest.emplace(*objects, clock);
  if (!settings.token_file.empty()) FAIRWAY_CHECKED(access->load_token_file(settings.token_file));
  if (!settings.audit_log.empty()) {
    FAIRWAY_TRY(audit, AuditLog::open({.path = settings.audit_log}));
  }
  endpoints = std::make_unique<Endpoints>(*store, metrics);
  front = std::make_unique<Front>(
      FrontParts{*access, clusters, *objects, *rest, *endpoints, audit.get(), clock, metrics},
      settings.max_in_flight);
  return {};
}

void ApiServer::Impl::follow_changes() {
  changes = store->subscribe({}, store->revision(), [this](Result<store::ChangePtr> change) {
    if (!change) return;
    definitions->hear(**change);
    namespaces->hear(**change);
    garbage->hear(**change);
    access->hear(**change);
  });
  definitions->load();
  namespaces->load();
  garbage->load();
  access->load();
}

Task<void> ApiServer::Impl::bootstrap() {
  for (const std::string& name : clusters.names()) {
    LogicalCluster& cluster = *clusters.find(name);
    auto done = co_await bootstrap_cluster(*objects, cluster, settings.install_product_crds);
    if (!done)
      co_return std::unexpected(
          to_error(done.error()).within(fmt::format("preparing cluster {}", fairway::quoted(name))));
    co_await definitions->settle(name);
  }
  co_return Result<void>{};
}

Result<std::shared_ptr<http::TlsContext>> ApiServer::Impl::tls_context() const {
  return http::make_server_context({.certificate_pem = pki.server.certificate_pem,
                                    .key_pem = pki.server.key_pem,
                                    .client_ca_pem = pki.authority.certificate_pem});
}

Result<void> ApiServer::Impl::listen() {
  FAIRWAY_TRY(auto tls, tls_context());
  http::ServerOptions options{
      .address = settings.address, .port = settings.port, .limits = settings.limits, .tls = std::move(tls)};
  FAIRWAY_TRY(server, http::Server::listen(
                          loop.executor(), clock, std::move(options),
                          [this](const http::Request& request, http::ResponseWriter& writer) {
                            return front->serve(request, writer);
                          },
                          [](int status, std::string_view message) {
                            return response_of(kube::status_of_http(status, std::string(message)));
                          }));
  return {};
}

Task<void> ApiServer::Impl::maintain() {
  for (;;) {
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, kMaintenanceInterval));
    store->maintain();
  }
}

Task<void> ApiServer::Impl::renew_certificates() {
  if (settings.data_directory.empty()) co_return Result<void>{};
  for (;;) {
    const Duration until = std::max<Duration>(pki.renew_at - clock.now(), std::chrono::hours(1));
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, std::min<Duration>(until, std::chrono::hours(24))));
    if (clock.now() < pki.renew_at) continue;
    auto renewed = load_pki(pki_options(settings), clock);
    if (!renewed) {
      log::error("certificates could not be renewed", {{"error", renewed.error().describe()}});
      continue;
    }
    pki = *std::move(renewed);
    if (auto context = tls_context()) server->set_tls(*std::move(context));
    log::info("certificates renewed", {{"until", format_rfc3339(pki.renew_at)}});
  }
}

std::string ApiServer::Impl::host() const {
  if (!settings.public_host.empty()) return settings.public_host;
  if (settings.address == "0.0.0.0") return "127.0.0.1";
  return settings.address == "::" ? "::1" : settings.address;
}

Task<std::unique_ptr<ApiServer>> ApiServer::start(async::EventLoop& loop, ServerSettings settings) {
  auto impl = std::make_unique<Impl>(loop, std::move(settings));
  FAIRWAY_CO_CHECKED(impl->open());
  impl->follow_changes();
  std::unique_ptr<ApiServer> server(new ApiServer(std::move(impl)));
  Impl& inside = *server->impl_;
  inside.tasks.spawn("definitions", inside.definitions->run());
  inside.tasks.spawn("namespaces", inside.namespaces->run());
  inside.tasks.spawn("garbage collection", inside.garbage->run());
  inside.tasks.spawn("token secrets", inside.access->run());
  inside.tasks.spawn("expired tokens", inside.access->expire_tokens());
  auto ready = co_await inside.bootstrap();
  if (ready) ready = inside.listen();
  if (!ready) {
    co_await server->stop(Duration::zero());
    co_return std::unexpected(std::move(ready.error()));
  }
  inside.tasks.spawn("event expiry", expire_events(*inside.objects, inside.clusters, inside.clock,
                                                   inside.settings.event_lifetime));
  inside.tasks.spawn("maintenance", inside.maintain());
  inside.tasks.spawn("certificate renewal", inside.renew_certificates());
  inside.endpoints->set_ready(true);
  log::info("api server ready",
            {{"url", server->url()}, {"revision", fmt::to_string(inside.store->revision())}});
  co_return server;
}

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::~ApiServer() = default;

std::uint16_t ApiServer::port() const {
  return impl_->server->port();
}

std::string ApiServer::url() const {
  const std::string host = impl_->host();
  return host.find(':') == std::string::npos ? fmt::format("https://{}:{}", host, port())
                                             : fmt::format("https://[{}]:{}", host, port());
}

std::vector<std::string> ApiServer::clusters() const {
  return impl_->clusters.names();
}

std::string ApiServer::kubeconfig() const {
  KubeconfigRequest request;
  request.server_url = url();
  request.ca_pem = impl_->pki.authority.certificate_pem;
  request.certificate_pem = impl_->pki.admin.certificate_pem;
  request.key_pem = impl_->pki.admin.key_pem;
  request.clusters = impl_->clusters.names();
  return kubeconfig_for(request);
}

Task<void> ApiServer::backup(std::string path) {
  return async::await_callback<void>([store = impl_->store.get(), path = std::move(path)](auto done) {
    store->backup(path, std::move(done));
  });
}

boost::asio::awaitable<void> ApiServer::stop(Duration grace) {
  if (impl_->endpoints) impl_->endpoints->set_ready(false);
  if (impl_->server) co_await impl_->server->stop(grace);
  co_await impl_->tasks.stop();
  impl_->changes.cancel();
  if (impl_->store) {
    if (auto closed = impl_->store->close(); !closed) {
      log::error("the store did not close cleanly", {{"error", closed.error().describe()}});
    }
  }
}

}  // namespace fairway::apiserver
