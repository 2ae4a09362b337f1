// fairway update-service: the update service.
#include "updateservice/update_service.hpp"

#include <fmt/format.h>
#include <ostream>
#include <thread>

#include "async/event_loop.hpp"
#include "base/text.hpp"
#include "cli/build_facts.hpp"
#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/console_server.hpp"
#include "cli/options.hpp"
#include "cli/server_process.hpp"
#include "cli/usage_error.hpp"
#include "updateservice/mock_service.hpp"
#include "updateservice/question.hpp"

namespace fairway::cli {
namespace {

constexpr std::size_t kMostThreads = 256;
constexpr std::size_t kMostClientRate = 1'000'000;
constexpr std::uint64_t kMostWaiting = 1'000'000;

struct UpdateServiceFlags {
  std::string config;
  std::string graph_data;
  std::string releases;
  Endpoint listen{"127.0.0.1", 8080};
  Endpoint status_listen{"127.0.0.1", 9080};
  Endpoint console_listen;  // without an address: no console
  Endpoint builder_listen;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::string path_prefix;
  std::string mandatory = "channel";
  std::string signatures;
  std::string state;
  Duration refresh_interval = std::chrono::minutes(5);
  Duration stale_after = std::chrono::hours(1);
  std::string conflicts = "exclude";
  bool drop_removed = false;
  std::string registry_credentials;
  std::string registry_ca;
  std::string prometheus;
  std::string prometheus_token_file;
  std::string prometheus_ca;
  Duration prometheus_timeout = std::chrono::seconds(30);
  updateservice::Lifetimes lifetimes;
  std::string client_tokens;
  std::size_t client_rate = 200;
  std::size_t max_waiting = updateservice::UpdateServiceSettings().max_waiting;
  bool is_mock = false;
  Duration mock_delay = std::chrono::seconds(30);
};

constexpr const char* kUpdateServiceDescription =
    "Tell clusters which updates are safe for them, over HTTP\n"
    "\n"
    "Serves Cincinnati's protocol: GET /graph?channel=NAME&arch=NAME. Builds the graph from graph data and\n"
    "releases, notices when they change, and keeps the last good graph when a change is bad.\n"
    "\n"
    "Graph data is a folder, an archive (.tar, .tar.gz, .tar.zst), git:FOLDER@REVISION or oci:IMAGE.\n"
    "Releases are a file with one JSON object a line, a folder of .json files, or oci:REPOSITORY.";

constexpr const char* kUpdateServiceExamples =
    "# From files; a change is served within a second\n"
    "fairway update-service --graph-data ./graph-data --releases ./releases.jsonl\n"
    "\n"
    "# From registries, kept on disk so that a restart needs none\n"
    "fairway update-service --graph-data oci:quay.io/example/graph-data:latest \\\n"
    "  --releases oci:quay.io/openshift-release-dev/ocp-release --state /var/lib/fairway/update-service\n"
    "\n"
    "# Blocks that are decided by a cluster's id, from central telemetry\n"
    "fairway update-service --config /etc/fairway/update-service.yaml --prometheus "
    "https://telemetry.example:9090\n"
    "\n"
    "# For developers of clients: channels simple, channel-head, version-not-found, risks-always, slow, "
    "error\n"
    "fairway update-service --mock";

template <class T>
T accepted(Result<T> value, std::string_view flag) {
  if (!value) refuse(fmt::format("{}: {}", flag, value.error().describe()));
  return *std::move(value);
}

updateservice::ListenAddress address(const Endpoint& endpoint) {
  return {endpoint.address, endpoint.port};
}

std::optional<updateservice::TargetingSettings> targeting(const UpdateServiceFlags& flags) {
  if (flags.prometheus.empty()) {
    if (!flags.prometheus_token_file.empty() || !flags.prometheus_ca.empty() || !flags.client_tokens.empty())
      refuse(
          "--prometheus-token-file, --prometheus-ca and --client-tokens mean something only with "
          "--prometheus");
    return std::nullopt;
  }
  updateservice::TargetingSettings settings;
  settings.prometheus.url = accepted(http::Url::parse(flags.prometheus), "--prometheus");
  settings.prometheus.token_file = flags.prometheus_token_file;
  settings.prometheus.timeout = flags.prometheus_timeout;
  settings.ca_file = flags.prometheus_ca;
  settings.lifetimes = flags.lifetimes;
  settings.client_tokens_file = flags.client_tokens;
  return settings;
}

void check_addresses(const UpdateServiceFlags& flags) {
  const auto clash = [](const Endpoint& one, const Endpoint& other) { return one.port != 0 && one == other; };
  if (clash(flags.listen, flags.status_listen))
    refuse(fmt::format("--listen and --status-listen are both {}: choose two", to_string(flags.listen)));
  if (clash(flags.builder_listen, flags.listen) || clash(flags.builder_listen, flags.status_listen))
    refuse(fmt::format("--builder-listen is {} like another address: choose two",
                       to_string(flags.builder_listen)));
}

updateservice::UpdateServiceSettings settings_of(const UpdateServiceFlags& flags) {
  if (flags.graph_data.empty() || flags.releases.empty())
    refuse(
        "--graph-data and --releases are needed: where the graph comes from (or --mock, for developers of "
        "clients)");
  updateservice::UpdateServiceSettings settings;
  settings.graph_data = accepted(updateservice::GraphDataPlace::parse(flags.graph_data), "--graph-data");
  settings.releases = accepted(updateservice::ReleasePlace::parse(flags.releases), "--releases");
  settings.listen = address(flags.listen);
  settings.status_listen = address(flags.status_listen);
  if (!flags.builder_listen.address.empty()) settings.builder_listen = address(flags.builder_listen);
  settings.threads = flags.threads;
  settings.max_waiting = flags.max_waiting;
  settings.service.prefix = accepted(updateservice::normalise_prefix(flags.path_prefix), "--path-prefix");
  settings.service.mandatory = updateservice::parse_mandatory(flags.mandatory);
  settings.service.signatures = flags.signatures;
  settings.service.client_rate = static_cast<double>(flags.client_rate);
  settings.registry = {flags.registry_credentials, flags.registry_ca};
  settings.targeting = targeting(flags);
  settings.state_folder = flags.state;
  settings.refresh_interval = flags.refresh_interval;
  settings.stale_after = flags.stale_after;
  settings.build = {.exclude_conflicts = flags.conflicts == "exclude", .drop_removed = flags.drop_removed};
  settings.git_commit = build::kGitCommit;
  return settings;
}

Task<void> stop(updateservice::UpdateService& service, ConsoleServer* console) {
  if (console != nullptr) co_await console->stop();
  co_await service.stop();
  co_return Result<void>{};
}

std::string url_of(const Endpoint& endpoint, std::uint16_t port) {
  return fmt::format("http://{}", to_string(Endpoint{endpoint.address, port}));
}

Result<void> run_service(const UpdateServiceFlags& flags,
                         const updateservice::UpdateServiceSettings& settings, Invocation& invocation) {
  raise_open_file_limit();
  async::EventLoop loop;
  updateservice::UpdateService* running = nullptr;
  const StopRequest stop_request(loop, [&running] {
    if (running) running->reload();
  });
  auto service = [&] {
    const SignalsForMainThread only_here;
    return updateservice::UpdateService::start(loop, settings);
  }();
  if (!service) return std::unexpected(std::move(service).error().within("starting the update service"));
  running = service->get();
  invocation.out << fmt::format("listening on {}{}/graph\nstatus on {}\n",
                                url_of(flags.listen, running->port()), settings.service.prefix,
                                url_of(flags.status_listen, running->status_port()));
  if (running->builder_port())
    invocation.out << fmt::format("builder on {}\n", url_of(flags.builder_listen, *running->builder_port()));
  std::unique_ptr<ConsoleServer> console;
  if (!flags.console_listen.address.empty()) {
    const std::string updates = url_of(flags.listen, running->port()) + settings.service.prefix;
    auto started = ConsoleServer::start(loop, {.listen = flags.console_listen, .update_service = updates});
    if (!started) {
      FAIRWAY_CHECKED(loop.block_on(stop(*running, nullptr)));
      return std::unexpected(std::move(started).error().within("starting the console"));
    }
    console = *std::move(started);
    invocation.out << fmt::format("console on {}\n", console->url());
  }
  invocation.out.flush();
  loop.run_until([&] { return stop_request.is_made(); });
  return loop.block_on(stop(*running, console.get()));
}

Result<void> run_mock(const UpdateServiceFlags& flags, Invocation& invocation) {
  raise_open_file_limit();
  async::EventLoop loop;
  const StopRequest stop_request(loop);
  FAIRWAY_TRY(const std::string prefix, updateservice::normalise_prefix(flags.path_prefix));
  updateservice::MockService mock({.prefix = prefix, .delay = flags.mock_delay}, loop);
  FAIRWAY_TRY(
      const auto server,
      http::PreparedServer::listen(loop.clock(), {.address = flags.listen.address, .port = flags.listen.port},
                                   [&mock](const http::RequestView& request, http::Responder to) {
                                     mock.handle(request, std::move(to));
                                   }));
  invocation.out << fmt::format("listening on {}{}/graph\n", url_of(flags.listen, server->port()), prefix);
  for (const auto& [channel, meaning] : updateservice::mock_channels())
    invocation.out << fmt::format("  channel={:<18} {}\n", channel, meaning);
  invocation.out.flush();
  loop.run_until([&] { return stop_request.is_made(); });
  server->stop();
  return {};
}

void add_source_options(CLI::App& command, UpdateServiceFlags& flags) {
  command.add_option("--graph-data", flags.graph_data, "Channels and blocked edges")->type_name("SOURCE");
  command.add_option("--releases", flags.releases, "The releases")->type_name("SOURCE");
  command
      .add_option("--state", flags.state,
                  "Where to keep what came from registries, so that a restart needs none")
      ->type_name("DIR");
  duration_option(command, "--refresh-interval", flags.refresh_interval,
                  "How often to look for changes that cannot be noticed at once");
  duration_option(command, "--stale-after", flags.stale_after,
                  "Not ready when the last good refresh is older");
  choice(*command.add_option(
             "--conflicts", flags.conflicts,
             "One version with two digests, or a cycle: leave out what is in doubt, or refuse the refresh"),
         {"exclude", "refuse"})
      .default_str("exclude");
  command.add_flag("--drop-removed", flags.drop_removed,
                   "Leave out releases whose metadata says release.remove");
  command
      .add_option("--registry-credentials", flags.registry_credentials, "docker's config.json for registries")
      ->type_name("FILE");
  command
      .add_option("--registry-ca", flags.registry_ca,
                  "PEM certificates of authorities to trust for registries")
      ->type_name("FILE");
}

void add_listen_options(CLI::App& command, UpdateServiceFlags& flags) {
  endpoint_option(command, "--listen", flags.listen, "Where clients ask; port 0 takes any free one");
  endpoint_option(command, "--status-listen", flags.status_listen, "Where /livez, /readyz and /metrics are");
  endpoint_option(command, "--builder-listen", flags.builder_listen,
                  "Serve the whole graph here, as the reference's graph builder does; off by default")
      .default_str("");
  endpoint_option(command, "--console-listen", flags.console_listen,
                  "Serve the console's Graph page here; off by default");
  number_option(command, "--threads", flags.threads, {.least = 1, .most = kMostThreads},
                "Threads that answer clients");
  command
      .add_option("--path-prefix", flags.path_prefix, "What comes before /graph, such as /api/upgrades_info")
      ->type_name("PATH");
  command
      .add_option("--mandatory-parameters", flags.mandatory,
                  "Parameters that clients must send, separated by commas")
      ->type_name("NAMES")
      ->default_str(flags.mandatory);
  command
      .add_option("--signatures", flags.signatures, "Serve release signatures from here: ALGO/DIGEST/NAME")
      ->type_name("DIR");
  number_option(command, "--max-waiting", flags.max_waiting, {.least = 0, .most = kMostWaiting},
                "Requests that may wait at a time for more than a lookup (/explain and its like, signatures, "
                "unknown ids); 0 refuses them all");
}

void add_targeting_options(CLI::App& command, UpdateServiceFlags& flags) {
  command
      .add_option("--prometheus", flags.prometheus,
                  "Decide blocks with clusters.promql by the client's id, with queries of this Prometheus")
      ->type_name("URL");
  command
      .add_option("--prometheus-token-file", flags.prometheus_token_file,
                  "A bearer token for it; read for each query")
      ->type_name("FILE");
  command
      .add_option("--prometheus-ca", flags.prometheus_ca, "PEM certificates of authorities to trust for it")
      ->type_name("FILE");
  duration_option(command, "--prometheus-timeout", flags.prometheus_timeout, "How long a query may take");
  duration_option(command, "--allowed-lifetime", flags.lifetimes.allowed,
                  "How long an allowed id stays allowed");
  duration_option(command, "--blocked-lifetime", flags.lifetimes.blocked,
                  "How long a blocked id stays blocked");
  duration_option(command, "--unknown-lifetime", flags.lifetimes.unknown,
                  "How long an unknown id is not asked about again");
  duration_option(command, "--failure-lifetime", flags.lifetimes.failure,
                  "How long a query that failed blocks everyone before it is asked again");
  duration_option(command, "--query-pause", flags.lifetimes.least_pause,
                  "The least time between two runs of one query, whatever clients send");
  command
      .add_option("--client-tokens", flags.client_tokens,
                  "Decide by id only for clients with one of these bearer tokens")
      ->type_name("FILE");
  number_option(command, "--client-rate", flags.client_rate, {.least = 0, .most = kMostClientRate},
                "Requests with an id a second from one address; 0 for any number");
}

}  // namespace

void add_update_service(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("update-service", kUpdateServiceDescription);
  command.group(kRunCommands);
  command.footer(kUpdateServiceExamples);
  auto flags = std::make_shared<UpdateServiceFlags>();
  add_config_option(command, flags->config);
  add_source_options(command, *flags);
  add_listen_options(command, *flags);
  add_targeting_options(command, *flags);
  command.add_flag("--mock", flags->is_mock, "Answer from made-up channels that exercise clients");
  duration_option(command, "--mock-delay", flags->mock_delay, "How long the channel slow takes");
  command.callback([&command, &invocation, flags] {
    apply_config_file(command, flags->config);
    check_addresses(*flags);
    if (flags->is_mock) {
      if (!flags->graph_data.empty() || !flags->releases.empty())
        refuse("--mock answers from made-up channels: leave out --graph-data and --releases");
      accepted(updateservice::normalise_prefix(flags->path_prefix), "--path-prefix");
      invocation.action = [&invocation, flags] { return run_mock(*flags, invocation); };
      return;
    }
    auto settings = std::make_shared<updateservice::UpdateServiceSettings>(settings_of(*flags));
    invocation.action = [&invocation, flags, settings] { return run_service(*flags, *settings, invocation); };
  });
}

}  // namespace fairway::cli
