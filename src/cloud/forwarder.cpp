#include "cloud/forwarder.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "cloud/proxy_protocol.hpp"

namespace fairway::cloud {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(5);
constexpr Duration kIdleTimeout = std::chrono::minutes(10);
constexpr std::uint16_t kFirstFreePort = 1024;
constexpr int kSuggestedOffset = 8000;
constexpr std::string_view kLoopback = "127.";

boost::asio::awaitable<void> close(std::map<std::uint16_t, std::unique_ptr<http::TcpListener>> listeners) {
  for (const auto& [port, listener] : listeners) co_await listener->stop();
}

// What to do about it, and not a code that says that it will never be otherwise: a port may become free.
Error explained(Error error, std::uint16_t port) {
  if (error.code == ErrorCode::Forbidden && port < kFirstFreePort) {
    error.message += fmt::format("; ports below {} need root: run the cloud as root or with --port-offset {}",
                                 kFirstFreePort, kSuggestedOffset);
  }
  error.code = ErrorCode::Unavailable;
  return error;
}

}  // namespace

struct Forwarder::Served {
  kube::ObjectKey key;
  Frontend frontend;
  Listeners listeners;
  std::size_t next = 0;  // backend, in turn
  Traffic traffic;
};

Forwarder::Forwarder(boost::asio::any_io_executor executor, TimerClock& clock,
                     std::shared_ptr<const Settings> settings, Backends backends, metrics::Registry& registry)
    : executor_(std::move(executor)),
      clock_(clock),
      settings_(std::move(settings)),
      backends_(std::move(backends)),
      connections_(registry.counter("fairway_cloud_connections_total",
                                    "connections to load balancers by what became of them", {"outcome"})) {
  for (const char* outcome : {"forwarded", "refused", "unserved"}) connections_.with({outcome});
}

Forwarder::~Forwarder() = default;

Task<Forwarder::Listeners> Forwarder::open(std::shared_ptr<Served> served, Frontend frontend) {
  Listeners opened;
  for (const FrontendPort& port : frontend.ports) {
    const bool is_same =
        served->frontend.address == frontend.address && served->listeners.contains(port.listen);
    if (is_same) continue;
    auto listener = http::TcpListener::listen(executor_, clock_, {frontend.address, port.listen}, {},
                                              [this, served](std::unique_ptr<http::TcpStream> client) {
                                                return forward(served, std::move(client));
                                              });
    if (!listener) {
      co_await close(std::move(opened));
      co_return std::unexpected(explained(listener.error(), port.listen));
    }
    opened.emplace(port.listen, *std::move(listener));
  }
  co_return opened;
}

Task<void> Forwarder::serve(kube::ObjectKey key, Frontend frontend) {
  auto& place = served_[key];
  if (!place) place = std::make_shared<Served>(Served{.key = key});
  const std::shared_ptr<Served> served = place;
  // The same address for other clients: nothing of the old may go on, and both cannot listen at once.
  if (served->frontend.address == frontend.address && served->frontend.scope != frontend.scope)
    co_await close(std::exchange(served->listeners, {}));
  auto opened = co_await open(served, frontend);
  if (!opened) {
    if (served->listeners.empty()) served_.erase(key);
    co_return std::unexpected(opened.error());
  }
  Listeners unwanted = std::exchange(served->listeners, {});
  for (const FrontendPort& port : frontend.ports) {
    const bool is_new = opened->contains(port.listen);
    auto kept = is_new ? opened->extract(port.listen) : unwanted.extract(port.listen);
    if (kept) served->listeners.insert(std::move(kept));
  }
  served->frontend = std::move(frontend);
  co_await close(std::move(unwanted));
  co_return Result<void>{};
}

Task<void> Forwarder::stop(kube::ObjectKey key) {
  const auto found = served_.find(key);
  if (found == served_.end()) co_return Result<void>{};
  const std::shared_ptr<Served> served = found->second;
  served_.erase(found);
  co_await close(std::exchange(served->listeners, {}));
  co_return Result<void>{};
}

boost::asio::awaitable<void> Forwarder::stop_all() {
  while (!served_.empty()) {
    const kube::ObjectKey key = served_.begin()->first;
    co_await stop(key);
  }
}

std::optional<Frontend> Forwarder::serving(const kube::ObjectKey& key) const {
  const auto found = served_.find(key);
  return found == served_.end() ? std::nullopt : std::optional(found->second->frontend);
}

Forwarder::Traffic Forwarder::traffic(const kube::ObjectKey& key) const {
  const auto found = served_.find(key);
  if (found == served_.end()) return {};
  Traffic traffic = found->second->traffic;
  for (const auto& [port, listener] : found->second->listeners) traffic.open += listener->connections();
  return traffic;
}

void Forwarder::count(std::string outcome) {
  connections_.with({std::move(outcome)}).add();
}

// The first backend that answers, in turn.
Task<std::unique_ptr<http::TcpStream>> Forwarder::connect(std::vector<Backend> backends, std::size_t first,
                                                          std::string from) {
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const Backend& backend = backends[(first + i) % backends.size()];
    auto stream =
        co_await http::TcpStream::connect(clock_, {backend.address, backend.port}, kConnectTimeout, from);
    if (stream || stream.error().code == ErrorCode::Cancelled) co_return stream;
    log::debug("a backend does not answer", {{"pod", backend.pod}, {"error", stream.error().describe()}});
  }
  co_return fail(ErrorCode::Unavailable, "no backend answers");
}

Task<void> Forwarder::forward(std::shared_ptr<Served> served, std::unique_ptr<http::TcpStream> client) {
  const Frontend& frontend = served->frontend;
  if (!admits(frontend, client->peer().address, *settings_)) {
    ++served->traffic.refused;
    count("refused");
    co_return Result<void>{};
  }
  const auto port = std::ranges::find(frontend.ports, client->local().port, &FrontendPort::listen);
  const std::vector<Backend> backends =
      port == frontend.ports.end() ? std::vector<Backend>{} : backends_(served->key, frontend, *port);
  const std::string header = proxy_header(frontend.proxy, {client->peer().address, client->peer().port,
                                                           client->local().address, client->local().port});
  // Any address of the loopback can be taken; one of another machine cannot.
  const bool keeps_client = frontend.keeps_client && client->peer().address.starts_with(kLoopback);
  auto backend =
      co_await connect(backends, served->next++, keeps_client ? client->peer().address : std::string());
  if (!backend) {
    if (backend.error().code == ErrorCode::Cancelled) co_return std::unexpected(backend.error());
    ++served->traffic.unserved;
    count("unserved");
    co_return Result<void>{};
  }
  ++served->traffic.forwarded;
  count("forwarded");
  if (!header.empty()) FAIRWAY_CO_CHECKED(co_await (*backend)->write(header));
  FAIRWAY_CO_CHECKED(co_await http::relay(clock_, *client, **backend, kIdleTimeout));
  co_return Result<void>{};
}

}  // namespace fairway::cloud
