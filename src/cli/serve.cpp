#include "cli/serve.hpp"

#include <filesystem>

#include "async/event_loop.hpp"
#include "async/files.hpp"
#include "base/log.hpp"
#include "cli/data_directory.hpp"
#include "cli/server_process.hpp"

namespace fairway::cli {
namespace {

constexpr std::size_t kMostInFlight = 1'000'000;

Task<void> stop(apiserver::ApiServer& server, const ServeHooks& hooks) {
  if (hooks.before_stop) co_await hooks.before_stop();
  co_await server.stop();
  co_return Result<void>{};
}

// Into the data directory, and where the user wants it besides. Gives the file to name to the user.
Result<std::string> write_kubeconfigs(const ServeSettings& settings, const apiserver::ApiServer& server) {
  std::string named;
  if (!settings.server.data_directory.empty()) {
    named = kubeconfig_file(settings.server.data_directory);
    FAIRWAY_CHECKED(replace_file(named, server.kubeconfig()));
  }
  if (!settings.write_kubeconfig.empty()) {
    named = settings.write_kubeconfig;
    FAIRWAY_CHECKED(replace_file(named, server.kubeconfig()));
  }
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(named, failed);
  return named.empty() || failed ? named : absolute.lexically_normal().string();
}

}  // namespace

CLI::Option& add_data_option(CLI::App& command, std::string& into, const std::string& description) {
  CLI::Option& option = *command.add_option(
      "--data", into,
      description + "\n(default ./fairway-data where it exists, else $XDG_DATA_HOME/fairway)");
  option.type_name("DIR");
  return option;
}

void add_serve_options(CLI::App& command, ServeSettings& settings) {
  apiserver::ServerSettings& server = settings.server;
  add_data_option(command, settings.data, "Where objects, keys and certificates are kept");
  endpoint_option(command, "--listen", settings.listen, "Where to answer; port 0 takes any free one");
  command
      .add_option("--write-kubeconfig", settings.write_kubeconfig,
                  "Write the administrator's kubeconfig here as well")
      ->type_name("FILE");
  command.add_option("--tls-san", server.tls_names, "A further name or address of this server; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--public-host", server.public_host,
                  "The name or address that kubeconfigs say; the listening one if not given")
      ->type_name("NAME");
  command.add_option("--audit-log", server.audit_log, "Write the audit log (Metadata level) to this file")
      ->type_name("FILE");
  command
      .add_option("--token-file", server.token_file,
                  "Bearer tokens as token,user,uid,\"group1,group2\" lines")
      ->type_name("FILE");
  number_option(command, "--max-in-flight", server.max_in_flight, {.least = 1, .most = kMostInFlight},
                "Requests at a time, watches not counted; more are told to come back");
  duration_option(command, "--event-ttl", server.event_lifetime, "How long Events are kept");
  duration_option(command, "--history", server.history_age,
                  "How long a watch may be away and still resume without listing again");
}

Result<void> serve(const ServeSettings& settings, bool is_in_memory, const ServeHooks& hooks) {
  ServeSettings effective = settings;
  if (!is_in_memory) {
    effective.server.data_directory =
        settings.data.empty() ? default_data_directory(process_environment()) : settings.data;
  }
  effective.server.address = settings.listen.address;
  effective.server.port = settings.listen.port;

  raise_open_file_limit();
  async::EventLoop loop;
  const StopRequest stop_request(loop, hooks.on_hangup);
  auto server = [&] {
    const SignalsForMainThread only_here;
    return loop.block_on(apiserver::ApiServer::start(loop, effective.server));
  }();
  if (!server) return std::unexpected(std::move(server).error().within("starting the API server"));
  const auto kubeconfig = write_kubeconfigs(effective, **server);
  Result<void> beside;
  if (kubeconfig) {
    const SignalsForMainThread only_here;
    beside = hooks.on_ready(loop, {.server = **server, .kubeconfig = *kubeconfig});
  }
  if (kubeconfig && beside) loop.run_until([&] { return stop_request.is_made(); });
  FAIRWAY_CHECKED(loop.block_on(stop(**server, hooks)));
  if (!kubeconfig) return std::unexpected(kubeconfig.error().within("writing the kubeconfig"));
  return beside;
}

}  // namespace fairway::cli
