// fairway agent: the agent of one managed cluster.
#include "fleet/agent/agent.hpp"

#include <array>
#include <fmt/format.h>
#include <ostream>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/options.hpp"
#include "cli/server_process.hpp"
#include "cli/status_server.hpp"
#include "cli/usage_error.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kAgentDescription =
    "Keep one cluster as the policies of its hub want it\n"
    "\n"
    "Takes the policies of its own namespace on the hub, makes them ConfigurationPolicies in the cluster, "
    "compares or\n"
    "enforces them there, and tells the hub what it found. It needs no more rights on the hub than to read "
    "the "
    "policies\n"
    "of that namespace and the key that they are protected with, and to write their statuses; deploy/agent "
    "has the "
    "roles.";

constexpr const char* kAgentExamples =
    "# Hub and member in one embedded API server\n"
    "fairway apiserver --cluster member1 --write-kubeconfig kubeconfig &\n"
    "fairway agent --cluster member1 --hub-kubeconfig kubeconfig --hub-context hub \\\n"
    "  --kubeconfig kubeconfig --context member1\n"
    "\n"
    "# In the cluster, with its own token for the hub\n"
    "fairway agent --cluster edge-7 --hub-kubeconfig /etc/fairway/hub.kubeconfig";

struct AgentFlags {
  std::string config;
  ClusterSettings cluster;
  ClusterSettings hub;
  fleet::agent::AgentSettings agent;
  bool elects_leader = false;
  StatusServerSettings status;
};

std::string identity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}_{}", host.data(), ::getpid());
}

// Several copies agree in the cluster: it is there that they would disturb each other.
kube::RuntimeOptions cluster_runtime(const AgentFlags& flags, metrics::Registry& registry) {
  kube::RuntimeOptions options{.name = "fairway-agent", .metrics = &registry};
  if (flags.elects_leader) {
    const std::string& ns = flags.agent.namespace_.empty() ? flags.agent.cluster : flags.agent.namespace_;
    options.leader_election = kube::LeaderElectionOptions{
        .lease = {ns, "fairway-agent"}, .identity = identity(), .metrics = &registry};
  }
  return options;
}

Readiness readiness(const kube::Runtime& cluster, const kube::Runtime& hub) {
  Readiness found{.is_ready = true};
  const auto add = [&](std::string_view where, const kube::Health& health) {
    found.is_ready &= health.is_ready;
    for (const std::string& each : health.waiting_for)
      found.details += fmt::format("[-] {}: waiting for {}\n", where, each);
    for (const std::string& each : health.undecodable)
      found.details += fmt::format("[!] {}: cannot read {}\n", where, each);
  };
  add("cluster", cluster.health());
  add("hub", hub.health());
  found.details += fmt::format("[+] {}\n", cluster.health().is_leader ? "leading" : "not leading");
  return found;
}

Task<void> stop(async::TaskGroup& tasks, fleet::agent::ClusterAgent& agent, http::Server& status) {
  co_await tasks.stop();
  co_await agent.stop();
  co_await status.stop();
  co_return Result<void>{};
}

Result<void> run(const AgentFlags& flags, Invocation& invocation) {
  async::EventLoop loop;
  const StopRequest stop_request(loop);
  metrics::Registry registry;
  FAIRWAY_TRY(ConnectedClient cluster, connect(loop, flags.cluster, {.metrics = &registry}));
  FAIRWAY_TRY(ConnectedClient hub, connect(loop, flags.hub, {}));
  kube::Runtime cluster_side(*cluster.client, cluster_runtime(flags, registry));
  kube::Runtime hub_side(*hub.client, {.name = "fairway-agent"});
  fleet::agent::ClusterAgent agent(cluster_side, hub_side, loop.executor(), flags.agent, registry);
  FAIRWAY_TRY(const auto status,
              start_status_server(loop, flags.status, registry,
                                  [&cluster_side, &hub_side] { return readiness(cluster_side, hub_side); }));
  std::optional<Error> failure;
  async::TaskGroup tasks(loop.executor(),
                         [&](const std::string& name, const Error& error) { failure = error.within(name); });
  tasks.spawn("the agent in its cluster", cluster_side.run());
  tasks.spawn("the agent on the hub", hub_side.run());
  invocation.out << fmt::format("agent of {} on {}, hub {}\nstatus on {}://{}\n", flags.agent.cluster,
                                cluster.client->server().origin(), hub.client->server().origin(),
                                flags.status.certificate_file.empty() ? "http" : "https",
                                to_string(Endpoint{flags.status.listen.address, status->port()}))
                 << std::flush;
  loop.run_until([&] { return stop_request.is_made() || failure; });
  FAIRWAY_CHECKED(loop.block_on(stop(tasks, agent, *status)));
  if (failure) return std::unexpected(*failure);
  return {};
}

void add_connections(CLI::App& command, AgentFlags& flags) {
  command.add_option("--hub-kubeconfig", flags.hub.kubeconfig, "How to reach the hub")
      ->type_name("FILE")
      ->default_str("as kubectl: $KUBECONFIG, ~/.kube/config");
  command.add_option("--hub-context", flags.hub.context, "The context of the hub's kubeconfig to use")
      ->type_name("NAME");
  command.add_option("--kubeconfig", flags.cluster.kubeconfig, "How to reach the cluster")
      ->type_name("FILE")
      ->default_str("as kubectl: $KUBECONFIG, ~/.kube/config, the pod's service account");
  command.add_option("--context", flags.cluster.context, "The context of the cluster's kubeconfig to use")
      ->type_name("NAME");
}

}  // namespace

void add_agent(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("agent");
  command.group(kRunCommands);
  command.description(kAgentDescription);
  command.footer(kAgentExamples);
  auto flags = std::make_shared<AgentFlags>();
  add_config_option(command, flags->config);
  command
      .add_option("--cluster", flags->agent.cluster,
                  "The cluster's name on the hub, and thereby its namespace there")
      ->type_name("NAME");
  add_connections(command, *flags);
  command
      .add_option("--namespace", flags->agent.namespace_,
                  "The namespace in the cluster that holds its ConfigurationPolicies; the cluster's name if "
                  "not given")
      ->type_name("NAME");
  number_option(command, "--workers", flags->agent.workers, {.least = 1, .most = 64},
                "Policies looked at side by side");
  command.add_flag("--leader-elect", flags->elects_leader,
                   "Several copies may run; the one that holds a Lease of the cluster's namespace works");
  add_status_server_options(command, flags->status);
  command.callback([&command, &invocation, flags] {
    apply_config_file(command, flags->config);
    if (flags->agent.cluster.empty()) refuse("--cluster is needed: the cluster's name on the hub");
    invocation.action = [&invocation, flags] { return run(*flags, invocation); };
  });
}

}  // namespace fairway::cli
