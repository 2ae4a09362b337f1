// ConsoleServer: the console on a port of its own, over clusters that a kubeconfig names.
//
// Of the kubeconfig only the addresses and authorities are used: never its credentials. Metrics of a cluster
// are a file in Prometheus' text format, read when they are asked for, or a Prometheus. Belongs to the event
// loop and is stopped before it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/event_loop.hpp"
#include "async/worker_pool.hpp"
#include "base/result.hpp"
#include "cli/options.hpp"
#include "console/console.hpp"
#include "http/server.hpp"
#include "kube/client/kubeconfig.hpp"

namespace fairway::cli {

struct ConsoleServerSettings {
  Endpoint listen{"127.0.0.1", 6446};
  std::optional<kube::KubeconfigSources> kubeconfig = {};  // each context is a cluster
  std::string hub = {};                                    // the context of the hub; empty: the current one
  std::string update_service = {};                         // a URL; empty: none
  std::string update_service_ca = {};                      // PEM; empty: the system's authorities
  std::map<std::string, std::string> metrics = {};         // of a context: a file, or the URL of a Prometheus
};

class ConsoleServer {
 public:
  static Result<std::unique_ptr<ConsoleServer>> start(async::EventLoop& loop,
                                                      const ConsoleServerSettings& settings);
  ConsoleServer(const ConsoleServer&) = delete;
  ConsoleServer& operator=(const ConsoleServer&) = delete;

  std::string url() const;
  boost::asio::awaitable<void> stop() { return server_->stop(); }

 private:
  ConsoleServer(Endpoint listen, console::ConsoleSettings settings);

  Endpoint listen_;
  async::WorkerPool pool_{"console", 2};
  console::Console console_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::cli
