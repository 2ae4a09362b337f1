// fairway upgrade: the updates that there are for a cluster, and asking for one.
#include "cli/upgrade.hpp"

#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/tree.hpp"
#include "cli/upgrade_session.hpp"
#include "cli/usage_error.hpp"

namespace fairway::cli {
namespace {

namespace upgrade = clusterversion::upgrade;
using clusterversion::ClusterVersion;
using upgrade::Outcome;

constexpr const char* kUpgradeDescription =
    "List the updates that there are for a cluster, and ask for one\n"
    "\n"
    "Without a flag that asks for an update, it shows where the cluster stands and what is recommended for "
    "it.\n"
    "What is supported but not recommended for this cluster is shown with --include-not-recommended, and "
    "why.\n"
    "Only the ClusterVersion is read and written, so it works on any OpenShift cluster.\n"
    "\n"
    "Ends with 3 when an update was refused because it is not recommended for this cluster.";

constexpr const char* kUpgradeExamples =
    "# What is there for this cluster?\n"
    "fairway upgrade --include-not-recommended\n"
    "\n"
    "# Update, and see how it goes\n"
    "fairway upgrade --to 4.6.43 --watch\n"
    "\n"
    "# What would be written?\n"
    "fairway upgrade --to-latest --dry-run\n"
    "\n"
    "# Along a path that is supported but not recommended for this cluster\n"
    "fairway upgrade --to 4.7.4 --allow-not-recommended\n"
    "\n"
    "# Why is it not recommended here?\n"
    "fairway upgrade explain AuthOAuthProxyLeakedConnections\n"
    "\n"
    "# Take a request back\n"
    "fairway upgrade --clear";

Outcome listed(const ClusterVersion& cluster, const UpgradeSettings& settings) {
  upgrade::ListOptions options = settings.list;
  options.is_wide = settings.output == "wide";
  if (!is_document(settings.output)) return upgrade::list_updates(cluster, options);
  return with_document({}, upgrade::list_document(cluster), settings.output);
}

Result<void> run_upgrade(const UpgradeSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  if (!settings.request.asks_for_change()) {
    if (settings.watch) {
      return session->watch([&](const ClusterVersion& cluster) { return listed(cluster, settings); });
    }
    FAIRWAY_TRY(const ClusterVersion cluster, session->read());
    return session->carry_out(listed(cluster, settings));
  }
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  const Outcome outcome = upgrade::request_update(cluster, settings.request);
  FAIRWAY_CHECKED(session->carry_out(outcome, {settings.dry_run, settings.output}));
  if (!settings.watch || settings.dry_run || !outcome.change) return {};
  return session->watch(
      [&](const ClusterVersion& seen) { return upgrade::update_status(seen, session->now()); });
}

// Refused before the cluster is asked, with the words and the exit code of a refusal.
Result<void> check_and_run(const UpgradeSettings& settings, Invocation& invocation) {
  if (const auto fault = upgrade::fault_of(settings.request)) return fail(ErrorCode::Invalid, *fault);
  return run_upgrade(settings, invocation);
}

void add_request_options(CLI::App& command, upgrade::RequestFlags& flags) {
  command.add_option("--to", flags.to, "Update to this version, one of those that are listed")
      ->type_name("VERSION");
  command.add_option("--to-image", flags.to_image, "Update to this release image, by digest")
      ->type_name("PULLSPEC");
  command.add_flag("--to-latest", flags.to_latest, "Update to the newest recommended version");
  command.add_flag("--to-multi-arch", flags.to_multi_arch,
                   "Move to the payload for several architectures, at the same version");
  command.add_flag("--clear", flags.clear, "Take back a request that the cluster has not completed");
  command.add_flag("--allow-not-recommended", flags.allow_not_recommended,
                   "Accept the risks of an update that is not recommended for this cluster");
  command.add_flag("--allow-explicit-upgrade", flags.allow_explicit_upgrade,
                   "Update to an image that is not among the updates");
  command.add_flag("--allow-upgrade-with-warnings", flags.allow_upgrade_with_warnings,
                   "Ask for an update although the cluster fails or is updating");
  command.add_flag("--force", flags.force,
                   "Skip verification of the image and preconditions; for images that you have verified "
                   "yourself");
}

}  // namespace

CLI::App& add_upgrade_command(CLI::App& upgrade, const char* name, const char* description,
                              const char* examples, UpgradeSettings& settings,
                              std::initializer_list<std::string_view> formats) {
  CLI::App& command = *upgrade.add_subcommand(name, description);
  command.group(kSubcommands);
  command.footer(examples);
  choice(*command.add_option("-o,--output", settings.output, "For programs, or with more columns"), formats);
  add_cluster_options(command, settings.cluster);
  return command;
}

void add_watch_option(CLI::App& command, UpgradeSettings& settings) {
  command.add_flag("-w,--watch", settings.watch,
                   "Print again on every change, until the update is complete or Ctrl-C");
}

void add_dry_run_option(CLI::App& command, UpgradeSettings& settings) {
  command.add_flag("--dry-run", settings.dry_run,
                   "Let the server check the change and print what it would write, without writing it");
}

void on_upgrade_chosen(CLI::App& command, Invocation& invocation, const SharedUpgradeSettings& settings,
                       UpgradeAction act) {
  command.callback([&command, &invocation, settings, act] {
    for (const CLI::Option* flag : command.get_parent()->get_options()) {
      if (flag->count() == 0 || command.get_option_no_throw(flag_name(*flag)) != nullptr) continue;
      refuse(
          fmt::format("{} is not a flag of {}", flag_name(*flag), command_line(command, invocation.program)));
    }
    invocation.action = [&invocation, settings, act] { return act(*settings, invocation); };
  });
}

void add_upgrade(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("upgrade", kUpgradeDescription);
  command.group(kClusterCommands);
  command.footer(kUpgradeExamples);
  auto settings = std::make_shared<UpgradeSettings>();
  command.add_flag("--include-not-recommended", settings->list.include_not_recommended,
                   "Also list what is supported but not recommended for this cluster");
  add_request_options(command, settings->request);
  add_watch_option(command, *settings);
  add_dry_run_option(command, *settings);
  choice(*command.add_option("-o,--output", settings->output, "For programs, or with more columns"),
         {"json", "yaml", "wide"});
  add_cluster_options(command, settings->cluster);
  add_upgrade_accept(command, invocation, settings);
  add_upgrade_channel(command, invocation, settings);
  add_upgrade_explain(command, invocation, settings);
  add_upgrade_history(command, invocation, settings);
  add_upgrade_recommend(command, invocation, settings);
  add_upgrade_rollback(command, invocation, settings);
  add_upgrade_status(command, invocation, settings);
  on_chosen(command, invocation, settings, check_and_run);
}

}  // namespace fairway::cli
