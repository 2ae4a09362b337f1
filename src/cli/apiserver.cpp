// fairway apiserver: the embedded API server alone.
#include <fmt/format.h>
#include <ostream>

#include "apiserver/clusters.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/serve.hpp"
#include "cli/usage_error.hpp"

namespace fairway::cli {
namespace {

struct ApiserverSettings {
  ServeSettings serve;
  std::string store = "disk";
};

constexpr const char* kApiserverDescription =
    "Serve the Kubernetes API from this machine, with nothing else installed\n"
    "\n"
    "Logical clusters share one store and nothing else: the hub answers at / and at /clusters/hub, any "
    "other\n"
    "at /clusters/NAME. The kubeconfig has a context for each.";

constexpr const char* kApiserverExamples =
    "# Keep everything below ./data and write a kubeconfig\n"
    "fairway apiserver --data ./data --write-kubeconfig ./kubeconfig\n"
    "\n"
    "# For a test: nothing is kept, any free port\n"
    "fairway apiserver --store memory --listen 127.0.0.1:0 --write-kubeconfig ./kubeconfig\n"
    "\n"
    "# With two more logical clusters\n"
    "fairway apiserver --data ./data --cluster member1 --cluster member2";

Result<void> run_apiserver(const ApiserverSettings& settings, Invocation& invocation) {
  const auto tell = [&](async::EventLoop&, const Serving& serving) -> Result<void> {
    invocation.out << fmt::format("listening on {}\n", serving.server.url());
    if (!serving.kubeconfig.empty()) invocation.out << fmt::format("kubeconfig {}\n", serving.kubeconfig);
    invocation.out.flush();
    return {};
  };
  return serve(settings.serve, settings.store == "memory", {.on_ready = tell});
}

void choose(const CLI::App& command, Invocation& invocation,
            const std::shared_ptr<ApiserverSettings>& settings) {
  if (!command.get_subcommands().empty()) return;
  if (settings->store == "memory" && !settings->serve.data.empty()) {
    refuse("--store memory keeps nothing: leave out --data, or leave out --store");
  }
  invocation.action = [&invocation, settings] { return run_apiserver(*settings, invocation); };
}

}  // namespace

void add_apiserver(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("apiserver", kApiserverDescription);
  command.group(kRunCommands);
  auto settings = std::make_shared<ApiserverSettings>();
  auto& store =
      choice(*command.add_option("--store", settings->store, "Where objects are kept"), {"disk", "memory"});
  store.default_str("disk");
  command
      .add_option("--cluster", settings->serve.server.clusters,
                  "A logical cluster besides the hub; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](std::string& name) -> std::string {
            if (apiserver::is_cluster_name(name)) return "";
            return fmt::format("expected a name of lower-case letters, digits and '-', found {}",
                               quoted(name));
          },
          ""));
  add_serve_options(command, settings->serve);
  add_apiserver_backup(command, invocation);
  add_apiserver_check(command, invocation);
  command.footer(kApiserverExamples);
  command.callback([&command, &invocation, settings] { choose(command, invocation, settings); });
}

}  // namespace fairway::cli
