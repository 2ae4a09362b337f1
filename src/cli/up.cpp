// fairway up: everything that Fairway has, on this machine, in one process.
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "apiserver/tokens.hpp"
#include "async/files.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/console_server.hpp"
#include "cli/data_directory.hpp"
#include "cli/example_graph_data.hpp"
#include "cli/graph_source.hpp"
#include "cli/log_sink.hpp"
#include "cli/options.hpp"
#include "cli/serve.hpp"
#include "cli/server_process.hpp"
#include "cli/shell_words.hpp"
#include "cli/up_fleet.hpp"
#include "updateservice/update_service.hpp"

namespace fairway::cli {
namespace {

constexpr std::size_t kMostMembers = 100;

struct UpSettings {
  ServeSettings serve;
  std::size_t members = 6;
  Endpoint update_service;  // without an address: beside the API server
  Endpoint console;         // likewise
  std::string graph_data;   // empty: below the data directory
  std::string releases;
  std::string kubeconfig;               // not empty: somebody else's clusters, and no API server here
  std::vector<std::string> prometheus;  // none: members have metrics of their own
  std::function<bool()> logs_here;      // the user asked for messages in a certain form
};

constexpr const char* kUpDescription =
    "Start everything on this machine: a hub, its member clusters, the update service, the console\n"
    "\n"
    "Data stays where --data says and is picked up at the next start. Ctrl-C stops cleanly; a second Ctrl-C\n"
    "stops at once. The update service starts with the example graph data, copied to DATA/graph-data: change "
    "a\n"
    "file there and ask again. The console's address holds a token of the administrator, kept in "
    "DATA/tokens; "
    "remove\n"
    "the file for another one. Messages go to DATA/up.log, or here with --log-level or --log-format.";

constexpr const char* kUpExamples =
    "# With six member clusters\n"
    "fairway up\n"
    "\n"
    "# Elsewhere, with ten\n"
    "fairway up --data ./demo --listen 127.0.0.1:7443 --clusters 10\n"
    "\n"
    "# With your own graph\n"
    "fairway up --graph-data ./graph-data --releases ./releases.jsonl";

// What runs beside the API server; it goes before the loop that it lives on.
struct Beside {
  std::unique_ptr<updateservice::UpdateService> updates = {};
  std::unique_ptr<UpFleet> fleet = {};
  std::unique_ptr<ConsoleServer> console = {};

  boost::asio::awaitable<void> stop() {
    if (console) co_await console->stop();
    console.reset();
    if (fleet) co_await fleet->stop();
    fleet.reset();
    if (updates) co_await updates->stop();
    updates.reset();
  }
};

// As it can be typed anywhere.
std::string tour_command(const std::string& data) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = std::filesystem::absolute(data, error).lexically_normal();
  return shell_line({error ? "fairway" : program.string(), "tour", "--data", folder.string()});
}

std::string greeting(const Serving& serving, const std::string& data, const std::string& console,
                     const std::string& update_service, const std::string& graph_data) {
  const auto clusters = serving.server.clusters();
  return fmt::format(
      "Fairway is up.\n"
      "\n"
      "  console          {}\n"
      "  API server       {}\n"
      "  kubeconfig       {}\n"
      "  contexts         {}\n"
      "  update service   {}/graph\n"
      "  graph data       {}\n"
      "\n"
      "Open the console, or try in another terminal:\n"
      "\n"
      "  {}\n"
      "  export KUBECONFIG={}\n"
      "  kubectl get managedclusters\n"
      "  kubectl explain clustergroupupgrade.spec\n"
      "  curl '{}/explain?from=4.6.23&to=4.7.4'\n"
      "\n"
      "Ctrl-C stops it; the data stays.\n",
      console, serving.server.url(), serving.kubeconfig, join(clusters, ", "), update_service, graph_data,
      tour_command(data), shell_word(serving.kubeconfig), update_service);
}

// Beside the API server: the port after its own, or any free one when it has any.
updateservice::ListenAddress beside(const Endpoint& api, std::uint16_t offset) {
  return {api.address, static_cast<std::uint16_t>(api.port == 0 ? 0 : api.port + offset)};
}

Result<updateservice::UpdateServiceSettings> update_service_settings(const UpSettings& settings,
                                                                     const std::string& data_directory) {
  updateservice::UpdateServiceSettings service;
  std::string graph_data = settings.graph_data;
  std::string releases = settings.releases;
  if (graph_data.empty()) {
    graph_data = data_directory + "/graph-data";
    FAIRWAY_CHECKED(write_example_graph_data(graph_data));
  }
  releases = releases_path({.source = graph_data, .releases = releases});
  FAIRWAY_TRY(service.graph_data, updateservice::GraphDataPlace::parse(graph_data));
  FAIRWAY_TRY(service.releases, updateservice::ReleasePlace::parse(releases));
  service.listen =
      settings.update_service.address.empty()
          ? beside(settings.serve.listen, 1)
          : updateservice::ListenAddress{settings.update_service.address, settings.update_service.port};
  service.status_listen = {
      service.listen.address,
      static_cast<std::uint16_t>(service.listen.port == 0 ? 0 : service.listen.port + 1)};
  return service;
}

// The administrator's token for browsers, which have no client certificate. Made once; durable before the
// server reads it.
Result<std::string> console_token(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
    if (error)
      return fail(ErrorCode::Unavailable,
                  fmt::format("cannot make the folder of {}: {}", quoted(file), error.message()));
    FAIRWAY_CHECKED(
        replace_file(file, fmt::format("{},admin,admin,system:masters\n", apiserver::new_token())));
  }
  FAIRWAY_TRY(const std::string text, read_file(file));
  return text.substr(0, text.find(','));
}

Result<std::vector<http::Url>> prometheus_urls(const UpSettings& settings) {
  std::vector<http::Url> urls;
  for (const std::string& text : settings.prometheus) {
    auto url = http::Url::parse(text);
    if (!url) return std::unexpected(std::move(url).error().within("--prometheus"));
    urls.push_back(*std::move(url));
  }
  return urls;
}

// The clusters that are looked after: our own, or those of somebody else's API servers.
struct Surroundings {
  std::string data;
  std::string kubeconfig;
  std::string hub;                        // its context; empty: the current one
  std::vector<std::string> members = {};  // played here; none of somebody else's
  std::string token = {};                 // for the console's address; empty: whoever looks has one
};

struct Addresses {
  std::string console;
  std::string update_service;
  std::string graph_data;
};

ConsoleServerSettings console_settings(const UpSettings& settings, const Surroundings& around,
                                       const std::string& update_service) {
  ConsoleServerSettings console{.kubeconfig = kube::KubeconfigSources{.explicit_file = around.kubeconfig},
                                .hub = around.hub,
                                .update_service = update_service};
  const updateservice::ListenAddress place = beside(settings.serve.listen, 3);
  console.listen = settings.console.address.empty() ? Endpoint{place.address, place.port} : settings.console;
  for (const std::string& each : around.members) {
    const std::string file = fmt::format("{}/members/{}/metrics.prom", around.data, each);
    if (std::filesystem::exists(file)) console.metrics[each] = file;
  }
  return console;
}

Result<Addresses> start_beside(async::EventLoop& loop, const UpSettings& settings, const Surroundings& around,
                               Beside& beside) {
  FAIRWAY_TRY(const std::vector<http::Url> prometheus, prometheus_urls(settings));
  FAIRWAY_TRY(const auto service, update_service_settings(settings, around.data));
  auto started = updateservice::UpdateService::start(loop, service);
  if (!started) return std::unexpected(std::move(started).error().within("starting the update service"));
  beside.updates = *std::move(started);
  const std::string url = "http://" + to_string(Endpoint{service.listen.address, beside.updates->port()});
  auto fleet = UpFleet::start(loop, {.kubeconfig = around.kubeconfig,
                                     .hub = around.hub,
                                     .members = around.members.size(),
                                     .data = around.data,
                                     .update_service = url + "/graph",
                                     .prometheus = prometheus});
  if (!fleet) return std::unexpected(std::move(fleet).error().within("starting the fleet"));
  beside.fleet = *std::move(fleet);
  auto console = ConsoleServer::start(loop, console_settings(settings, around, url));
  if (!console) return std::unexpected(std::move(console).error().within("starting the console"));
  beside.console = *std::move(console);
  const std::string address = beside.console->url() + (around.token.empty() ? "" : "#token=" + around.token);
  return Addresses{.console = address, .update_service = url, .graph_data = service.graph_data.text};
}

Task<void> stop_beside(Beside& beside) {
  co_await beside.stop();
  co_return Result<void>{};
}

// Without an API server of our own. The clusters' own agents and operators look after the members.
Result<void> run_outside(const UpSettings& settings, const std::string& data, Invocation& invocation) {
  raise_open_file_limit();
  async::EventLoop loop;
  Beside beside;
  const StopRequest stop_request(loop, [&] {
    if (beside.updates) beside.updates->reload();
  });
  const auto started = [&] {
    const SignalsForMainThread only_here;
    return start_beside(loop, settings, {.data = data, .kubeconfig = settings.kubeconfig}, beside);
  }();
  if (started) {
    invocation.out << fmt::format(
                          "Fairway is up, beside the clusters of {}.\n"
                          "\n"
                          "  console          {}\n"
                          "  update service   {}/graph\n"
                          "  graph data       {}\n"
                          "\n"
                          "Ctrl-C stops it; the clusters stay as they are.\n",
                          settings.kubeconfig, started->console, started->update_service, started->graph_data)
                   << std::flush;
    loop.run_until([&] { return stop_request.is_made(); });
  }
  FAIRWAY_CHECKED(loop.block_on(stop_beside(beside)));
  if (!started) return std::unexpected(started.error());
  return {};
}

Result<void> run_up(const UpSettings& settings, Invocation& invocation) {
  ServeSettings serving = settings.serve;
  if (serving.data.empty()) serving.data = default_data_directory(process_environment());
  // So many controllers have more to say than a terminal can show.
  std::optional<LogInstead> log_file;
  if (!settings.logs_here()) {
    FAIRWAY_TRY(log::Sink sink, make_log_file(serving.data + "/up.log"));
    log_file.emplace(std::move(sink));
  }
  if (!settings.kubeconfig.empty()) return run_outside(settings, serving.data, invocation);
  for (std::size_t i = 1; i <= settings.members; ++i)
    serving.server.clusters.push_back(fmt::format("member{}", i));
  Surroundings around{.data = serving.data, .hub = "hub", .members = serving.server.clusters};
  if (serving.server.token_file.empty()) {
    serving.server.token_file = serving.data + "/tokens";
    FAIRWAY_TRY(around.token, console_token(serving.server.token_file));
  }
  Beside beside;
  ServeHooks hooks;
  hooks.on_ready = [&](async::EventLoop& loop, const Serving& ready) -> Result<void> {
    around.kubeconfig = ready.kubeconfig;
    FAIRWAY_TRY(const Addresses at, start_beside(loop, settings, around, beside));
    invocation.out << greeting(ready, serving.data, at.console, at.update_service, at.graph_data)
                   << std::flush;
    return {};
  };
  hooks.before_stop = [&] { return beside.stop(); };
  hooks.on_hangup = [&] {
    if (beside.updates) beside.updates->reload();
  };
  return serve(serving, false, hooks);
}

}  // namespace

void add_up(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("up", kUpDescription);
  command.group(kRunCommands);
  command.footer(kUpExamples);
  auto settings = std::make_shared<UpSettings>();
  number_option(command, "--clusters", settings->members, {.least = 0, .most = kMostMembers},
                "How many member clusters to have");
  endpoint_option(
      command, "--update-service-listen", settings->update_service,
      "Where the update service answers, and one port above its status; beside the API server by default");
  endpoint_option(command, "--console-listen", settings->console,
                  "Where the console answers; beside the API server by default");
  command
      .add_option("--graph-data", settings->graph_data,
                  "The graph data to serve; an example in DATA/graph-data by default")
      ->type_name("SOURCE");
  command
      .add_option("--releases", settings->releases,
                  "The releases to serve; releases.jsonl of the graph data by default")
      ->type_name("SOURCE");
  command
      .add_option(
          "--prometheus", settings->prometheus,
          "Ask members' queries here, instead of answering them from DATA/members/NAME/metrics.prom; given "
          "again, another one that is asked when this gives no verdict")
      ->type_name("URL")
      ->allow_extra_args(false);
  auto* outside =
      command
          .add_option(
              "--kubeconfig", settings->kubeconfig,
              "Run the hub's controllers for the hub that its current context names, the update service and "
              "the\nconsole over all of its contexts; no API server and no members here")
          ->type_name("FILE");
  command.get_option("--clusters")->excludes(outside);
  add_serve_options(command, settings->serve);
  settings->logs_here = [&root] { return root.count("--log-level") + root.count("--log-format") > 0; };
  on_chosen(command, invocation, std::move(settings), run_up);
}

}  // namespace fairway::cli
