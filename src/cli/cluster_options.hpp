// The options of every command that talks to a cluster, and the client that they lead to.
//
// The names and meanings are kubectl's: a kubeconfig, a context of it, and another cluster or user than the
// context's. Without any of them the choice is kubectl's too: KUBECONFIG, ~/.kube/config, a pod's service
// account. A ConnectedClient belongs to the event loop that it was made for and must not outlive it; nothing
// is sent before its first request.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "async/event_loop.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "kube/client/client.hpp"
#include "kube/client/client_config.hpp"

namespace fairway::cli {

struct ClusterSettings {
  std::string kubeconfig = {};
  std::string context = {};
  std::string cluster = {};  // of the kubeconfig, instead of the context's
  std::string user = {};     // likewise
  Duration request_timeout = std::chrono::seconds(30);
};

// --kubeconfig, --context, --cluster, --user, --request-timeout.
void add_cluster_options(CLI::App& command, ClusterSettings& settings);

struct ConnectedClient {
  kube::ClientConfig config;
  std::shared_ptr<http::Transport> transport;
  std::unique_ptr<kube::Client> client;
};

// As the settings choose, from the environment where they do not.
Result<kube::ClientConfig> client_config(const ClusterSettings& settings);
// `options.timeout` is taken from the settings.
Result<ConnectedClient> connect(async::EventLoop& loop, const ClusterSettings& settings,
                                kube::ClientOptions options = {});

}  // namespace fairway::cli
