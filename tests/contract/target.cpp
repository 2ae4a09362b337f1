#include "target.hpp"

#include <cstdlib>
#include <future>
#include <thread>

#include "apiserver/server.hpp"
#include "kube/client/credentials.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/transport.hpp"

namespace fairway::contract {

class EmbeddedServer {
 public:
  EmbeddedServer() : thread_([this] { run(); }) {}
  ~EmbeddedServer() {
    loop_.post([this] { loop_.stop(); });
    thread_.join();
  }

  // Waits for the start; once.
  Result<std::string> kubeconfig() { return started_.get_future().get(); }

 private:
  static Task<void> stop(apiserver::ApiServer& server) {
    co_await server.stop(Duration::zero());
    co_return Result<void>{};
  }

  void run() {
    apiserver::ServerSettings settings;
    settings.history_changes = kHistoryChanges;
    settings.install_product_crds = false;
    auto server = loop_.block_on(apiserver::ApiServer::start(loop_, settings));
    if (!server) {
      started_.set_value(std::unexpected(std::move(server).error()));
      return;
    }
    started_.set_value((*server)->kubeconfig());
    loop_.run();
    (void)loop_.block_on(stop(**server));
  }

  async::EventLoop loop_;
  std::promise<Result<std::string>> started_;
  std::thread thread_;  // last: it uses the others from its first moment on
};

namespace {

// 1 or true: yes; anything else that is set: no.
bool environment_says(const char* name, bool otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return otherwise;
  return std::string_view(value) == "1" || std::string_view(value) == "true";
}

}  // namespace

Target::Target(kube::ClientConfig config) : config_(std::move(config)) {}
Target::~Target() = default;

Result<std::unique_ptr<Target>> Target::embedded() {
  auto server = std::make_unique<EmbeddedServer>();
  FAIRWAY_TRY(const std::string text, server->kubeconfig());
  FAIRWAY_TRY(const auto kubeconfig, kube::parse_kubeconfig(text, "the embedded server's kubeconfig"));
  FAIRWAY_TRY(auto config, kube::resolve_context(kubeconfig));
  auto target = std::unique_ptr<Target>(new Target(std::move(config)));
  target->embedded_ = std::move(server);
  target->has_controllers_ = environment_says("CONTRACT_HAS_CONTROLLERS", true);
  return target;
}

Result<std::unique_ptr<Target>> Target::named(const std::string& path) {
  FAIRWAY_TRY(const auto kubeconfig, kube::load_kubeconfig({.explicit_file = path}));
  FAIRWAY_TRY(auto config, kube::resolve_context(kubeconfig));
  auto target = std::unique_ptr<Target>(new Target(std::move(config)));
  target->has_controllers_ = environment_says("CONTRACT_HAS_CONTROLLERS", false);
  return target;
}

Result<Api> Target::connect(const kube::ClientConfig& config) {
  FAIRWAY_TRY(auto transport,
              kube::make_transport(loop_.executor(), loop_.clock(), config, kube::run_on(pool_, process_)));
  return Api(loop_, std::move(transport), config.server);
}

Result<Api> Target::administrator() {
  return connect(config_);
}

Result<Api> Target::anonymous() {
  kube::ClientConfig config = config_;
  config.authentication = {};
  return connect(config);
}

Result<Api> Target::bearer_of(std::string token) {
  kube::ClientConfig config = config_;
  config.authentication = {};
  config.authentication.token = std::move(token);
  return connect(config);
}

}  // namespace fairway::contract
