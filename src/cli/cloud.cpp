// fairway cloud: load balancers for a cluster that has no cloud.
#include <fmt/format.h>
#include <ostream>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/options.hpp"
#include "cli/server_process.hpp"
#include "cli/usage_error.hpp"
#include "cloud/admin.hpp"
#include "cloud/node_player.hpp"
#include "cloud/service_controller.hpp"
#include "kube/core/selector.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kCloudDescription =
    "Play the cloud: load balancers for clusters that have none\n"
    "\n"
    "Services of type LoadBalancer are given addresses of the loopback that really listen, and events, "
    "finalizers and\n"
    "statuses as the service controller of a cloud writes them. How a load balancer is told its scope, "
    "whether it "
    "can\n"
    "change it, and whether it has a host name or an IP address follows from --platform.\n"
    "\n"
    "Everything is written on the Services themselves: killed and started again, it goes on with the same "
    "addresses.";

constexpr const char* kCloudExamples =
    "# Beside an embedded API server\n"
    "fairway apiserver --write-kubeconfig kubeconfig &\n"
    "fairway cloud --platform Azure --kubeconfig kubeconfig\n"
    "\n"
    "# Without root: port 80 is served at port 8080\n"
    "fairway cloud --platform AWS --port-offset 8000\n"
    "\n"
    "# See what runs; let the next deletion fail\n"
    "curl localhost:9098/loadbalancers\n"
    "curl localhost:9098/faults --json '{\"failDeletes\": 1}'";

struct CloudFlags {
  std::string config;
  ClusterSettings cluster;
  std::string platform;
  Endpoint listen{"127.0.0.1", 9098};
  std::string external = "127.203.0.0/16";
  std::string internal = "127.77.0.0/16";
  std::vector<std::string> inside;
  std::size_t port_offset = 0;
  std::string domain = "cloud.test";
  std::optional<Duration> provision;
  std::optional<Duration> deprovision;
  std::optional<Duration> mutate;
  bool keeps_address = false;
  std::vector<std::string> faults;
  bool plays_nodes = false;
  std::string nodes_for = "ingresscontroller.operator.openshift.io/owning-ingresscontroller";
  std::string pods = "127.88.0.0/16";
  cloud::Settings settings = {};
  cloud::nodes::Settings nodes = {};
  cloud::Faults asked_faults = {};
};

cloud::Network network(std::string_view flag, const std::string& text) {
  const auto parsed = cloud::parse_network(text);
  if (!parsed) refuse(fmt::format("{}: {}", flag, parsed.error().message));
  return *parsed;
}

// failCreates=2: the names and values of the admin endpoint's /faults.
cloud::Faults read_faults(const std::vector<std::string>& given) {
  cloud::Faults faults;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    const std::string value = equals == std::string::npos ? "true" : each.substr(equals + 1);
    // Numbers and booleans are JSON as they are; a duration is a text.
    auto parsed = json::parse(value);
    json::Object change;
    change[name] = parsed ? *parsed : json::Value(value);
    const auto changed = cloud::changed_faults(faults, change);
    if (!changed) refuse(fmt::format("--fault {}: {}", each, changed.error().describe()));
    faults = *changed;
  }
  return faults;
}

void complete(CloudFlags& flags) {
  if (flags.platform.empty()) refuse("--platform is needed: which cloud to play");
  cloud::Settings& settings = flags.settings;
  settings.profile = *cloud::find_profile(flags.platform);  // one of the choices
  if (flags.provision) settings.profile.delays.provision = *flags.provision;
  if (flags.deprovision) settings.profile.delays.deprovision = *flags.deprovision;
  if (flags.mutate) settings.profile.delays.mutate = *flags.mutate;
  settings.profile.keeps_address = flags.keeps_address;
  settings.external = network("--external-range", flags.external);
  settings.internal = network("--internal-range", flags.internal);
  if (settings.external.overlaps(settings.internal))
    refuse("--external-range and --internal-range must not overlap");
  for (const std::string& each : flags.inside) settings.inside.push_back(network("--inside", each));
  settings.port_offset = static_cast<std::uint16_t>(flags.port_offset);
  settings.domain = flags.domain;
  flags.nodes.pods = network("--pod-range", flags.pods);
  flags.nodes.port_offset = settings.port_offset;
  if (flags.nodes.pods.overlaps(settings.external) || flags.nodes.pods.overlaps(settings.internal))
    refuse("--pod-range must not overlap the ranges of load balancers");
  if (const auto selector = kube::Selector::parse(flags.nodes_for); !selector)
    refuse(fmt::format("--play-nodes-for: {}", selector.error().message));
  flags.asked_faults = read_faults(flags.faults);
}

Task<void> stop(async::TaskGroup& tasks, cloud::ServiceController& controller, cloud::NodePlayer* nodes,
                http::Server& admin) {
  co_await tasks.stop();
  co_await controller.stop();
  if (nodes != nullptr) co_await nodes->stop();
  co_await admin.stop();
  co_return Result<void>{};
}

Result<void> run(const CloudFlags& flags, Invocation& invocation) {
  raise_open_file_limit();
  async::EventLoop loop;
  const StopRequest stop_request(loop);
  metrics::Registry registry;
  FAIRWAY_TRY(ConnectedClient cluster, connect(loop, flags.cluster, {.metrics = &registry}));
  kube::Runtime runtime(*cluster.client, {.name = cloud::kComponent, .metrics = &registry});
  cloud::ServiceController controller(runtime, loop.executor(), flags.settings, flags.asked_faults, registry);
  std::unique_ptr<cloud::NodePlayer> nodes;
  if (flags.plays_nodes) {
    nodes =
        std::make_unique<cloud::NodePlayer>(runtime, loop.executor(), flags.nodes_for, flags.nodes, registry);
  }
  FAIRWAY_TRY(
      const auto admin,
      http::Server::listen(
          loop.executor(), loop.clock(), {.address = flags.listen.address, .port = flags.listen.port},
          cloud::admin_handler(controller, registry, [&runtime] { return runtime.health().is_ready; })));
  std::optional<Error> failure;
  async::TaskGroup tasks(loop.executor(),
                         [&](const std::string& name, const Error& error) { failure = error.within(name); });
  tasks.spawn("the cloud", runtime.run());
  invocation.out << fmt::format("{} cloud for {}\nadmin on http://{}\n", flags.platform,
                                cluster.client->server().origin(),
                                to_string(Endpoint{flags.listen.address, admin->port()}))
                 << std::flush;
  loop.run_until([&] { return stop_request.is_made() || failure; });
  FAIRWAY_CHECKED(loop.block_on(stop(tasks, controller, nodes.get(), *admin)));
  if (failure) return std::unexpected(*failure);
  return {};
}

// Nothing at all is a delay too.
void delay_option(CLI::App& command, std::string flag, std::optional<Duration>& into, std::string description,
                  std::string otherwise = "the platform's") {
  command
      .add_option_function<std::string>(
          flag,
          [flag, &into](const std::string& text) {
            into = parse_duration(text);
            if (into && *into >= Duration::zero()) return;
            refuse(fmt::format("{}: expected a duration such as 30s or 0s, found {}", flag, quoted(text)));
          },
          std::move(description))
      ->type_name("DURATION")
      ->default_str(std::move(otherwise));
}

void add_range_options(CLI::App& command, CloudFlags& flags) {
  command.add_option("--external-range", flags.external, "Addresses of external load balancers")
      ->type_name("CIDR")
      ->default_str(flags.external);
  command.add_option("--internal-range", flags.internal, "Addresses of internal load balancers")
      ->type_name("CIDR")
      ->default_str(flags.internal);
  command
      .add_option("--inside", flags.inside,
                  "Clients of internal load balancers are from here; may be given again. Without it, the "
                  "internal range")
      ->type_name("CIDR")
      ->allow_extra_args(false);
  number_option(command, "--port-offset", flags.port_offset, {0, 60000},
                "Listen so far above the Services' ports: low ports need root");
  command.add_option("--domain", flags.domain, "The domain of host names")
      ->type_name("NAME")
      ->default_str(flags.domain);
}

void add_behaviour_options(CLI::App& command, CloudFlags& flags) {
  delay_option(command, "--provision-delay", flags.provision, "How long it takes to make a load balancer");
  delay_option(command, "--deprovision-delay", flags.deprovision, "How long it takes to delete one");
  delay_option(command, "--mutate-delay", flags.mutate,
               "How long it takes to change the scope of a live one");
  command.add_flag("--keep-address", flags.keeps_address, "A change of scope in place keeps the address");
  command
      .add_option("--fault", flags.faults,
                  "Begin with a failure that /faults knows, such as failCreates=2; may be given again")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_node_options(CLI::App& command, CloudFlags& flags) {
  command.add_flag("--play-nodes", flags.plays_nodes,
                   "Play the nodes too: run the pods of routers, on a cluster that has no nodes");
  command.add_option("--play-nodes-for", flags.nodes_for, "Of Deployments with these labels")
      ->type_name("SELECTOR")
      ->default_str("routers");
  delay_option(command, "--min-ready", flags.nodes.min_ready, "Count played pods as available after so long",
               "the Deployment's minReadySeconds");
  command.add_option("--pod-range", flags.pods, "Addresses of played pods")
      ->type_name("CIDR")
      ->default_str(flags.pods);
}

}  // namespace

void add_cloud(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("cloud", kCloudDescription);
  command.group(kRunCommands);
  command.footer(kCloudExamples);
  auto flags = std::make_shared<CloudFlags>();
  add_config_option(command, flags->config);
  std::vector<std::string> platforms;
  for (const cloud::Profile& each : cloud::profiles()) platforms.emplace_back(each.platform);
  CLI::Option& platform =
      *command.add_option("--platform", flags->platform, "The cloud to play: AWS, Azure, GCP, IBMCloud, …");
  choice(platform, platforms).type_name("NAME");
  add_cluster_options(command, flags->cluster);
  endpoint_option(command, "--listen", flags->listen, "Where /loadbalancers, /faults and /metrics are");
  add_range_options(command, *flags);
  add_behaviour_options(command, *flags);
  add_node_options(command, *flags);
  command.callback([&command, &invocation, flags] {
    apply_config_file(command, flags->config);
    complete(*flags);
    invocation.action = [&invocation, flags] { return run(*flags, invocation); };
  });
}

}  // namespace fairway::cli
