// fairway controllers: the controllers, against any Kubernetes API server.
#include <array>
#include <fmt/format.h>
#include <ostream>
#include <ranges>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/controller_kind.hpp"
#include "cli/options.hpp"
#include "cli/server_process.hpp"
#include "cli/status_server.hpp"

namespace fairway::cli {
namespace {

struct ControllersFlags {
  std::string config;
  std::vector<std::string> only;
  ClusterSettings cluster;
  StatusServerSettings status;
  bool elects_leader = false;
  std::string leader_namespace = "default";
  std::string leader_name = "fairway-controllers";
};

// One that was chosen, ready to be put together.
struct Choice {
  std::string_view name;
  bool is_for_hubs = false;
  MakeController make;
};

constexpr const char* kControllersDescription = "Run the controllers against any Kubernetes API server";

constexpr const char* kControllersExamples =
    "# With a Prometheus\n"
    "fairway controllers --only cluster-version --kubeconfig kubeconfig --update-service "
    "http://127.0.0.1:8080/graph \\\n"
    "  --prometheus http://127.0.0.1:9090\n"
    "\n"
    "# A cluster without a monitoring stack: metrics of a file and of an endpoint\n"
    "fairway controllers --only cluster-version --scrape cluster.prom --scrape "
    "http://127.0.0.1:9100/metrics\n"
    "\n"
    "# Releases from a mirror, with signatures that are checked\n"
    "fairway controllers --registry-ca mirror.pem --signature-store https://signatures.example/release \\\n"
    "  --signature-keyring release-key.gpg\n"
    "\n"
    "# Load balancers of a cluster that does not say where it runs\n"
    "fairway controllers --only ingress --kubeconfig kubeconfig --platform AWS\n"
    "\n"
    "# Rollouts over the clusters of a hub, without Open Cluster Management\n"
    "fairway controllers --only fleet,policy,placement --kubeconfig kubeconfig";

std::string identity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return fmt::format("{}_{}", host.data(), ::getpid());
}

kube::RuntimeOptions runtime_options(const ControllersFlags& flags, metrics::Registry& registry) {
  kube::RuntimeOptions options{.name = "fairway-controllers", .metrics = &registry};
  if (flags.elects_leader) {
    options.leader_election = kube::LeaderElectionOptions{
        .lease = {flags.leader_namespace, flags.leader_name}, .identity = identity(), .metrics = &registry};
  }
  return options;
}

Readiness readiness(const kube::Runtime& runtime) {
  const kube::Health health = runtime.health();
  Readiness found{.is_ready = health.is_ready};
  for (const std::string& waiting : health.waiting_for)
    found.details += fmt::format("[-] waiting for {}\n", waiting);
  for (const std::string& odd : health.undecodable) found.details += fmt::format("[!] cannot read {}\n", odd);
  found.details += fmt::format("[+] {}\n", health.is_leader ? "leading" : "not leading");
  return found;
}

Task<void> stop(async::TaskGroup& tasks, const std::vector<ChosenController>& chosen, http::Server& status) {
  co_await tasks.stop();
  for (const ChosenController& each : chosen)
    if (each.stop) co_await each.stop();
  co_await status.stop();
  co_return Result<void>{};
}

std::vector<ChosenController> make_all(const std::vector<Choice>& choices, const ControllerHost& host) {
  const SignalsForMainThread only_here;
  std::vector<ChosenController> made;
  made.reserve(choices.size());
  for (const Choice& each : choices) made.push_back(each.make(host));
  return made;
}

std::string names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const Choice& each : choices) names.emplace_back(each.name);
  return join(names, ", ");
}

kube::ClientOptions client_options(const std::vector<Choice>& choices, metrics::Registry& registry) {
  kube::ClientOptions options{.metrics = &registry};
  if (std::ranges::any_of(choices, &Choice::is_for_hubs)) options.requests_per_second = 0;
  return options;
}

Result<void> run(const ControllersFlags& flags, const std::vector<Choice>& choices, Invocation& invocation) {
  async::EventLoop loop;
  const StopRequest stop_request(loop);
  metrics::Registry registry;
  FAIRWAY_TRY(ConnectedClient cluster, connect(loop, flags.cluster, client_options(choices, registry)));
  kube::Runtime runtime(*cluster.client, runtime_options(flags, registry));
  const std::vector<ChosenController> chosen = make_all(choices, {loop, runtime, registry});
  FAIRWAY_TRY(const auto status,
              start_status_server(loop, flags.status, registry, [&runtime] { return readiness(runtime); }));
  for (const ChosenController& each : chosen)
    if (each.prepare) FAIRWAY_CHECKED(loop.block_on(each.prepare()));
  std::optional<Error> failure;
  async::TaskGroup tasks(loop.executor(),
                         [&](const std::string& name, const Error& error) { failure = error.within(name); });
  tasks.spawn("the controllers", runtime.run());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i].run) tasks.spawn(std::string(choices[i].name), chosen[i].run());
  invocation.out << fmt::format("controllers on {}: {}\nstatus on {}://{}\n",
                                cluster.client->server().origin(), names_of(choices),
                                flags.status.certificate_file.empty() ? "http" : "https",
                                to_string(Endpoint{flags.status.listen.address, status->port()}))
                 << std::flush;
  loop.run_until([&] { return stop_request.is_made() || failure; });
  FAIRWAY_CHECKED(loop.block_on(stop(tasks, chosen, *status)));
  if (failure) return std::unexpected(*failure);
  return {};
}

// Adds the flags of every controller, each below its own heading.
std::vector<ControllerKind> add_kinds(CLI::App& command) {
  std::vector<ControllerKind> kinds;
  for (ControllerKind (*add)(CLI::App&) :
       {cluster_version_kind, ingress_kind, fleet_kind, policy_kind, placement_kind}) {
    const std::size_t before = command.get_options().size();
    kinds.push_back(add(command));
    const auto options = command.get_options();
    for (CLI::Option* option : options | std::views::drop(before))
      option->group(fmt::format("Options of {}", kinds.back().name));
  }
  return kinds;
}

std::vector<Choice> choose(const std::vector<ControllerKind>& kinds, const std::vector<std::string>& only) {
  std::vector<Choice> choices;
  for (const ControllerKind& kind : kinds)
    if (only.empty() ? !kind.is_for_hubs : std::ranges::find(only, kind.name) != only.end())
      choices.push_back({kind.name, kind.is_for_hubs, kind.complete()});
  return choices;
}

}  // namespace

void add_controllers(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("controllers");
  command.group(kRunCommands);
  command.footer(kControllersExamples);
  auto flags = std::make_shared<ControllersFlags>();
  add_config_option(command, flags->config);
  CLI::Option& only = *command.add_option(
      "--only", flags->only,
      "Run only these controllers, separated by commas; those of a hub run where they are named");
  only.allow_extra_args(false)->delimiter(',');
  add_cluster_options(command, flags->cluster);
  command.add_flag("--leader-elect", flags->elects_leader,
                   "Several copies may run; the one that holds a Lease works");
  command.add_option("--leader-namespace", flags->leader_namespace, "The namespace of that Lease")
      ->type_name("NAME")
      ->default_str(flags->leader_namespace);
  command
      .add_option("--leader-name", flags->leader_name,
                  "Its name: copies of the same controllers share one, others need their own")
      ->type_name("NAME")
      ->default_str(flags->leader_name);
  add_status_server_options(command, flags->status);
  const std::vector<ControllerKind> kinds = add_kinds(command);
  std::string description = kControllersDescription;
  std::vector<std::string> names;
  for (const ControllerKind& kind : kinds) {
    description += fmt::format("\n\n{}", kind.description);
    names.emplace_back(kind.name);
  }
  command.description(description);
  choice(only, names);
  command.callback([&command, &invocation, flags, kinds] {
    apply_config_file(command, flags->config);
    auto choices = choose(kinds, flags->only);
    invocation.action = [&invocation, flags, choices] { return run(*flags, choices, invocation); };
  });
}

}  // namespace fairway::cli
