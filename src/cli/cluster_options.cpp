#include "cli/cluster_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "kube/client/transport.hpp"

namespace fairway::cli {
namespace {

// The context with another cluster or user. That both exist is checked where the context is resolved, whose
// messages name what is missing.
Result<kube::ClientConfig> changed_context(const kube::ConfigSources& sources,
                                           const ClusterSettings& settings) {
  FAIRWAY_TRY(kube::Kubeconfig kubeconfig, kube::load_kubeconfig(sources.kubeconfig));
  const std::string name = settings.context.empty() ? kubeconfig.current_context : settings.context;
  const auto found = std::ranges::find(kubeconfig.contexts, name, &kube::NamedContext::name);
  if (found != kubeconfig.contexts.end()) {
    if (!settings.cluster.empty()) found->context.cluster = settings.cluster;
    if (!settings.user.empty()) found->context.user = settings.user;
  }
  return kube::resolve_context(kubeconfig, sources.choice);
}

}  // namespace

void add_cluster_options(CLI::App& command, ClusterSettings& settings) {
  command.add_option("--kubeconfig", settings.kubeconfig, "How to reach the cluster")
      ->type_name("FILE")
      ->default_str("as kubectl: $KUBECONFIG, ~/.kube/config");
  command.add_option("--context", settings.context, "The context of the kubeconfig to use")
      ->type_name("NAME");
  command.add_option("--cluster", settings.cluster, "Another cluster of the kubeconfig than the context's")
      ->type_name("NAME");
  command.add_option("--user", settings.user, "Another user of the kubeconfig than the context's")
      ->type_name("NAME");
  duration_option(command, "--request-timeout", settings.request_timeout,
                  "How long one answer of the cluster may take");
}

Result<kube::ClientConfig> client_config(const ClusterSettings& settings) {
  kube::ConfigSources sources = kube::ConfigSources::from_environment();
  if (!settings.kubeconfig.empty()) sources.kubeconfig.explicit_file = settings.kubeconfig;
  sources.choice.context = settings.context;
  if (settings.cluster.empty() && settings.user.empty()) return kube::load_client_config(sources);
  return changed_context(sources, settings);
}

Result<ConnectedClient> connect(async::EventLoop& loop, const ClusterSettings& settings,
                                kube::ClientOptions options) {
  FAIRWAY_TRY(kube::ClientConfig config, client_config(settings));
  FAIRWAY_TRY(auto transport, kube::make_transport(loop.executor(), loop.clock(), config));
  options.timeout = settings.request_timeout;
  auto client = std::make_unique<kube::Client>(transport, loop.clock(), config.server, std::move(options));
  return ConnectedClient{std::move(config), std::move(transport), std::move(client)};
}

}  // namespace fairway::cli
