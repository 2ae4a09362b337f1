// CloudOnServer: an embedded API server, the simulated cloud and its nodes in one process, for tests.
//
// The cloud's clock is the test's, so that its delays are exact and cost no time; the server's clock is real,
// and so are requests, listeners and traffic. Ports are the process's own, so that neither root nor a free
// port 80 is needed and tests run side by side.
#pragma once

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "apiserver/server.hpp"
#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "cloud/node_player.hpp"
#include "cloud/service_controller.hpp"
#include "http/tcp.hpp"
#include "kube/client/client.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/transport.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::cloud::testing {

inline const kube::ResourceType kServices{.kind = {"", "v1", "Service"}, .resource = "services"};
inline const kube::ResourceType kNamespaces{
    .kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false};
inline const kube::ResourceType kPods{.kind = {"", "v1", "Pod"}, .resource = "pods"};
inline const kube::ResourceType kDeployments{.kind = {"apps", "v1", "Deployment"}, .resource = "deployments"};
inline const kube::ResourceType kEvents{.kind = {"", "v1", "Event"}, .resource = "events"};
inline constexpr const char* kInside = "127.77.200.1";
inline constexpr const char* kOutside = "127.0.0.1";

// Below the ports that the system gives to clients.
inline std::uint16_t port_offset() {
  return static_cast<std::uint16_t>(18'000 + ::getpid() % 10'000);
}

inline Task<void> stop_server(apiserver::ApiServer& server) {
  co_await server.stop(Duration::zero());
  co_return Result<void>{};
}
inline Task<void> stop_both(ServiceController& controller, NodePlayer* nodes) {
  co_await controller.stop();
  if (nodes != nullptr) co_await nodes->stop();
  co_return Result<void>{};
}

// What is answered to a request from that address.
inline Task<std::string> exchange(TimerClock& clock, http::TcpEndpoint to, std::string from) {
  FAIRWAY_CO_TRY(const auto stream,
                 co_await http::TcpStream::connect(clock, std::move(to), std::chrono::seconds(30), from));
  FAIRWAY_CO_CHECKED(
      co_await stream->write("GET /hello HTTP/1.1\r\nHost: apps.test\r\nConnection: close\r\n\r\n"));
  std::string all;
  std::array<char, 4096> block;
  for (;;) {
    FAIRWAY_CO_TRY(const std::size_t count, co_await stream->read_some(block));
    if (count == 0) break;
    all.append(block.data(), count);
  }
  co_return all;
}

class CloudOnServer : public ::testing::Test {
 protected:
  ~CloudOnServer() override {
    stop_cloud();
    if (server_) EXPECT_TRUE(loop_.block_on(stop_server(*server_)));
  }

  // `delays` instead of the platform's own.
  void start(std::string_view platform, std::optional<Delays> delays = {}) {
    auto started = loop_.block_on(apiserver::ApiServer::start(loop_, {}));
    ASSERT_TRUE(started) << started.error().describe();
    server_ = *std::move(started);
    const auto kubeconfig = kube::parse_kubeconfig(server_->kubeconfig(), "the server's kubeconfig");
    const auto config = kube::resolve_context(*kubeconfig);
    auto transport = kube::make_transport(loop_.executor(), loop_.clock(), *config);
    transport_ = *transport;
    url_ = config->server;
    client_ = std::make_unique<kube::Client>(transport_, loop_.clock(), url_,
                                             kube::ClientOptions{.requests_per_second = 0});
    settings_.profile = *find_profile(platform);
    if (delays) settings_.profile.delays = *delays;
    settings_.port_offset = port_offset();
    start_cloud();
  }

  void start_cloud() {
    cloud_client_ = std::make_unique<kube::Client>(transport_, clock_, url_,
                                                   kube::ClientOptions{.requests_per_second = 0});
    runtime_ = std::make_unique<kube::Runtime>(*cloud_client_, kube::RuntimeOptions{.name = kComponent});
    cloud_ = std::make_unique<ServiceController>(*runtime_, loop_.executor(), settings_, Faults{}, registry_);
    if (plays_nodes_) {
      nodes_ = std::make_unique<NodePlayer>(*runtime_, loop_.executor(), nodes_for_,
                                            nodes::Settings{.port_offset = port_offset()}, registry_);
    }
    services_ = &runtime_->cache(kServices);
    group_ = std::make_unique<async::TaskGroup>(loop_.executor());
    group_->spawn("runtime", runtime_->run());
    loop_.run_until([this] { return runtime_->health().is_ready; });
  }
  // As kill -9 does: nothing is tidied up on the server.
  void stop_cloud() {
    if (!group_) return;
    group_->cancel();
    loop_.run_until([this] { return group_->size() == 0; });
    EXPECT_TRUE(loop_.block_on(stop_both(*cloud_, nodes_.get())));
    group_.reset();
    runtime_.reset();
    nodes_.reset();
    cloud_.reset();
    cloud_client_.reset();
  }

  json::Object create(kube::Resource place, const std::string& text) {
    auto made = loop_.block_on(client_->create(std::move(place), *json::parse_object(text)));
    EXPECT_TRUE(made) << made.error().describe();
    return made ? *made : json::Object{};
  }
  json::Object patch(kube::Resource place, const std::string& text) {
    auto made =
        loop_.block_on(client_->patch(std::move(place), kube::PatchKind::Merge, *json::parse_object(text)));
    EXPECT_TRUE(made) << made.error().describe();
    return made ? *made : json::Object{};
  }
  std::shared_ptr<const json::Object> service(const std::string& name = "web") const {
    return services_->get({ns_, name});
  }
  std::optional<LoadBalancer> record(const std::string& name = "web") const {
    const auto found = service(name);
    return found ? load_balancer_of(*found) : std::nullopt;
  }
  std::string published(const std::string& name = "web") const {
    const auto found = service(name);
    const auto names = found ? published_of(*found) : std::vector<std::string>{};
    return names.empty() ? "" : names.front();
  }
  // The cloud's time passes in small steps, between which requests are answered: none of them runs out of it.
  void advance_until(const std::function<bool()>& done) {
    for (int step = 0; !done(); ++step) {
      ASSERT_LT(step, 4'000) << "it never comes about";
      clock_.advance(std::chrono::milliseconds(250));
      for (int i = 0; i < 2 && !done(); ++i)
        EXPECT_TRUE(loop_.block_on(client_->get(kNamespaces.in("", "default"))));
    }
  }
  void await_published(const std::string& name = "web", std::string_view other_than = "") {
    advance_until([&] { return !published(name).empty() && published(name) != other_than; });
  }
  void await_operation(Operation::Kind kind, const std::string& name = "web") {
    loop_.run_until([&] {
      const auto found = record(name);
      return found && found->operation && found->operation->kind == kind;
    });
  }
  bool has_event(std::string_view reason, std::string_view text = "") {
    const auto events = loop_.block_on(client_->list_all(kEvents.in(ns_)));
    return events && std::ranges::any_of(events->items, [&](const json::Object& event) {
             return json::get_string(event, {"reason"}) == reason &&
                    json::get_string(event, {"source", "component"}) == kComponent &&
                    json::get_string(event, {"message"}).value_or("").find(text) != std::string_view::npos;
           });
  }
  // What a client is answered; empty when it is not.
  std::string ask(const std::string& address, const char* from, std::uint16_t port = 80) {
    const auto answered = loop_.block_on(
        exchange(loop_.clock(), {address, static_cast<std::uint16_t>(port + port_offset())}, from));
    return answered ? *answered : "";
  }
  async::EventLoop loop_;
  ManualClock clock_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<http::Transport> transport_;
  http::Url url_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Client> cloud_client_;
  Settings settings_;
  std::string ns_ = "default";  // of the Services that are asked about
  bool plays_nodes_ = false;
  std::string nodes_for_ = "app=router";
  metrics::Registry registry_;
  std::unique_ptr<ServiceController> cloud_;
  std::unique_ptr<NodePlayer> nodes_;
  std::unique_ptr<kube::Runtime> runtime_;
  kube::ObjectCache* services_ = nullptr;
  std::unique_ptr<async::TaskGroup> group_;
};

}  // namespace fairway::cloud::testing
