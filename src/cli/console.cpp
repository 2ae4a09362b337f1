// fairway console: the pages, for clusters that run elsewhere.
#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/console_server.hpp"
#include "cli/server_process.hpp"
#include "cli/usage_error.hpp"
#include "kube/client/kubeconfig.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kConsoleDescription =
    "Serve the console: graph, clusters, rollouts, ingress and devices in a browser\n"
    "\n"
    "Each context of the kubeconfig is a cluster. Its credentials are not used: everybody who looks signs in "
    "with "
    "a\n"
    "token of their own, and sees and does what that token may. Plain HTTP: put a proxy with TLS in front of "
    "it "
    "where\n"
    "others can reach it.";

constexpr const char* kConsoleExamples =
    "# A hub and its clusters, and an update service\n"
    "fairway console --kubeconfig fleet.kubeconfig --hub hub --update-service http://127.0.0.1:8080\n"
    "\n"
    "# With the metrics of two clusters, for \"why here\" and \"what if\"\n"
    "fairway console --metrics member1=http://prometheus.member1:9090 --metrics member2=./member2.prom\n"
    "\n"
    "# The graph alone\n"
    "fairway console --no-clusters --update-service https://updates.example.com/api/upgrades_info";

struct ConsoleFlags {
  ConsoleServerSettings server;
  std::string kubeconfig;
  std::vector<std::string> metrics;
  bool no_clusters = false;
};

// member1=./member1.prom
std::map<std::string, std::string> read_metrics(const std::vector<std::string>& given) {
  std::map<std::string, std::string> places;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == each.size())
      refuse(fmt::format("--metrics: expected CONTEXT=FILE or CONTEXT=URL, found {}", quoted(each)));
    places[each.substr(0, equals)] = each.substr(equals + 1);
  }
  return places;
}

Result<void> run(const ConsoleFlags& flags, Invocation& invocation) {
  ConsoleServerSettings settings = flags.server;
  settings.metrics = read_metrics(flags.metrics);
  if (!flags.no_clusters) {
    settings.kubeconfig = kube::KubeconfigSources::from_environment();
    settings.kubeconfig->explicit_file = flags.kubeconfig;
  }
  raise_open_file_limit();
  async::EventLoop loop;
  const StopRequest stop_request(loop);
  FAIRWAY_TRY(const auto console, [&] {
    const SignalsForMainThread only_here;
    return ConsoleServer::start(loop, settings);
  }());
  invocation.out << fmt::format("console on {}\n", console->url()) << std::flush;
  loop.run_until([&] { return stop_request.is_made(); });
  return loop.block_on([](ConsoleServer& server) -> Task<void> {
    co_await server.stop();
    co_return Result<void>{};
  }(*console));
}

}  // namespace

void add_console(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("console", kConsoleDescription);
  command.group(kRunCommands);
  command.footer(kConsoleExamples);
  auto flags = std::make_shared<ConsoleFlags>();
  ConsoleServerSettings& server = flags->server;
  endpoint_option(command, "--listen", server.listen, "Where to answer; port 0 takes any free one");
  command.add_option("--kubeconfig", flags->kubeconfig, "The clusters: one for each context")
      ->type_name("FILE")
      ->default_str("as kubectl: $KUBECONFIG, ~/.kube/config");
  command.add_option("--hub", server.hub, "The context whose rollouts and devices are shown")
      ->type_name("CONTEXT")
      ->default_str("the current one");
  command.add_flag("--no-clusters", flags->no_clusters, "Show the graph alone");
  command.add_option("--update-service", server.update_service, "The update service whose graph is shown")
      ->type_name("URL");
  command
      .add_option("--update-service-ca", server.update_service_ca,
                  "PEM certificates of authorities to trust for it")
      ->type_name("FILE");
  command
      .add_option("--metrics", flags->metrics,
                  "Metrics of a cluster: a file in Prometheus' text format, or a Prometheus; repeatable")
      ->type_name("CONTEXT=FILE|URL")
      ->allow_extra_args(false);
  on_chosen(command, invocation, std::move(flags), run);
}

}  // namespace fairway::cli
