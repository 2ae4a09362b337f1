// fairway upgrade history, recommend, status: the subcommands that only look.
#include "base/text.hpp"
#include "cli/upgrade.hpp"
#include "cli/upgrade_session.hpp"

namespace fairway::cli {
namespace {

namespace upgrade = clusterversion::upgrade;
using clusterversion::ClusterVersion;
using upgrade::Outcome;

Result<void> run_history(const UpgradeSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  if (is_document(settings.output)) {
    return session->carry_out(with_document({}, upgrade::history_document(cluster), settings.output));
  }
  upgrade::HistoryOptions options = settings.history;
  options.is_wide = settings.output == "wide";
  return session->carry_out(upgrade::show_history(cluster, options));
}

Result<void> run_recommend(const UpgradeSettings& settings, Invocation& invocation) {
  upgrade::RecommendFlags flags = settings.recommend;
  for (const std::string_view issue : split_words(settings.accepted_issues, ", ")) {
    flags.accept.emplace_back(issue);
  }
  if (const auto fault = upgrade::fault_of(flags)) return fail(ErrorCode::Invalid, *fault);
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  Outcome outcome = upgrade::recommend(cluster, flags);
  if (is_document(settings.output)) {
    outcome = with_document(std::move(outcome), upgrade::recommend_document(cluster, flags), settings.output);
  }
  return session->carry_out(outcome);
}

Result<void> run_status(const UpgradeSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, UpgradeSession::open(settings.cluster, invocation));
  const auto render = [&](const ClusterVersion& cluster) {
    if (!is_document(settings.output)) return upgrade::update_status(cluster, session->now());
    return with_document({}, upgrade::status_document(cluster, session->now()), settings.output);
  };
  if (settings.watch) return session->watch(render);
  FAIRWAY_TRY(const ClusterVersion cluster, session->read());
  return session->carry_out(render(cluster));
}

constexpr const char* kHistoryDescription =
    "Show the releases that the cluster has had, newest first\n"
    "\n"
    "RISKS says whether an update was made although something stood against it; --verbose shows the words.";

constexpr const char* kRecommendDescription =
    "Say which updates are fit for this cluster, minor version by minor version\n"
    "\n"
    "Changes nothing. With --version it judges one update and ends with 3 when something stands against it\n"
    "that --accept does not name: Failing, Progressing, CannotRetrieveUpdates, ConditionalUpdateRisk, or "
    "the\n"
    "name of the risk. Only the ClusterVersion is looked at, not alerts.";

constexpr const char* kStatusDescription =
    "Show how far the running update is, how long it may take, and what it waits for\n"
    "\n"
    "The estimate is the pace so far. Only the ClusterVersion is looked at, not nodes and operators.";

}  // namespace

void add_upgrade_history(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command =
      add_upgrade_command(upgrade, "history", kHistoryDescription, "fairway upgrade history --verbose",
                          *settings, {"json", "yaml", "wide"});
  command.add_flag("-v,--verbose", settings->history.is_verbose, "Show the risks that were accepted");
  on_upgrade_chosen(command, invocation, settings, run_history);
}

void add_upgrade_recommend(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command = add_upgrade_command(upgrade, "recommend", kRecommendDescription,
                                          "fairway upgrade recommend\n"
                                          "\n"
                                          "# In a script: may this cluster go to 4.7.4?\n"
                                          "fairway upgrade recommend --version 4.7.4 --quiet",
                                          *settings, {"json", "yaml"});
  upgrade::RecommendFlags& flags = settings->recommend;
  command.add_option("--version", flags.version, "Judge this update")->type_name("VERSION");
  command.add_option("--accept", settings->accepted_issues, "Issues to accept, separated by commas")
      ->type_name("NAMES");
  command.add_flag("--show-outdated-releases", flags.show_outdated_releases,
                   "All updates of each minor version, not the newest two");
  command.add_flag("--quiet", flags.quiet, "With --version: print only the issues that are not accepted");
  on_upgrade_chosen(command, invocation, settings, run_recommend);
}

void add_upgrade_status(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings) {
  CLI::App& command = add_upgrade_command(upgrade, "status", kStatusDescription,
                                          "fairway upgrade status --watch", *settings, {"json", "yaml"});
  add_watch_option(command, *settings);
  on_upgrade_chosen(command, invocation, settings, run_status);
}

}  // namespace fairway::cli
