// fairway upgrade accept, channel, rollback: the subcommands that change the ClusterVersion.
#include "cli/upgrade.hpp"
#include "cli/upgrade_session.hpp"

namespace fairway::cli {
namespace {

namespace upgrade = clusterversion::upgrade;
using clusterversion::ClusterVersion;

Result<void> change(const UpgradeSettings& settings, Invocation& invocation,
                    upgrade::Outcome (*decide)(const ClusterVersion&, const UpgradeSettings&)) {
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  const upgrade::Outcome outcome = decide(cluster, settings);
  FAIRWAY_CHECKED(session->carry_out(outcome, {settings.dry_run, settings.output}));
  if (!settings.watch || settings.dry_run || !outcome.change) return {};
  return session->watch(
      [&](const ClusterVersion& seen) { return upgrade::update_status(seen, session->now()); });
}

Result<void> run_accept(const UpgradeSettings& settings, Invocation& invocation) {
  return change(settings, invocation, [](const ClusterVersion& cluster, const UpgradeSettings& given) {
    return upgrade::accept_risks(cluster, given.accept);
  });
}

Result<void> run_channel(const UpgradeSettings& settings, Invocation& invocation) {
  return change(settings, invocation, [](const ClusterVersion& cluster, const UpgradeSettings& given) {
    return upgrade::set_channel(cluster, given.channel, given.allow_explicit_channel);
  });
}

Result<void> run_rollback(const UpgradeSettings& settings, Invocation& invocation) {
  return change(settings, invocation, [](const ClusterVersion& cluster, const UpgradeSettings&) {
    return upgrade::request_rollback(cluster);
  });
}

constexpr const char* kAcceptDescription =
    "Accept risks of updates by their names\n"
    "\n"
    "An update whose risks are all accepted, or do not apply, counts as recommended where the cluster's\n"
    "operator takes such names. A name with a dash behind it is taken back. Names that were accepted before\n"
    "stay, unless --replace or --clear is given.";

constexpr const char* kChannelDescription =
    "Choose the channel that updates are looked for in\n"
    "\n"
    "Without a name the channel is cleared: the cluster then asks for no recommendations. A channel that "
    "the\n"
    "running release does not list needs --allow-explicit-channel.";

constexpr const char* kRollbackDescription =
    "Ask for the release before this one\n"
    "\n"
    "Only within the same minor version, and not while an update is running.";

}  // namespace

void add_upgrade_accept(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command = add_upgrade_command(upgrade, "accept", kAcceptDescription,
                                          "# Accept one and take another back\n"
                                          "fairway upgrade accept SlowDrainOnOldKernels,LostNodeNames-\n"
                                          "\n"
                                          "# Only this one from now on\n"
                                          "fairway upgrade accept --replace SlowDrainOnOldKernels",
                                          *settings, {"json", "yaml"});
  command.add_option("RISK", settings->accept.risks, "Names, separated by commas; NAME- takes one back");
  command.add_flag("--replace", settings->accept.replace, "Accept these and no others");
  command.add_flag("--clear", settings->accept.clear, "Accept none any more");
  add_dry_run_option(command, *settings);
  on_upgrade_chosen(command, invocation, settings, run_accept);
}

void add_upgrade_channel(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command = add_upgrade_command(upgrade, "channel", kChannelDescription,
                                          "fairway upgrade channel stable-4.7\n"
                                          "\n"
                                          "# Before it is known to this release\n"
                                          "fairway upgrade channel candidate-4.9 --allow-explicit-channel",
                                          *settings, {"json", "yaml"});
  command.add_option("NAME", settings->channel, "The channel; none to clear it");
  command.add_flag("--allow-explicit-channel", settings->allow_explicit_channel,
                   "Also a channel that the release does not list, or none");
  add_dry_run_option(command, *settings);
  on_upgrade_chosen(command, invocation, settings, run_channel);
}

void add_upgrade_rollback(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command = add_upgrade_command(upgrade, "rollback", kRollbackDescription,
                                          "fairway upgrade rollback --watch", *settings, {"json", "yaml"});
  add_watch_option(command, *settings);
  add_dry_run_option(command, *settings);
  on_upgrade_chosen(command, invocation, settings, run_rollback);
}

}  // namespace fairway::cli
