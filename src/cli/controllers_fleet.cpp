// The rollouts of a fleet among the controllers that `fairway controllers` runs.
#include "cli/controller_kind.hpp"
#include "cli/options.hpp"
#include "fleet/hub/rollout_controller.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kControllersFleetDescription =
    "fleet carries out ClusterGroupUpgrades of a hub: policies are enforced on one batch of clusters after "
    "the other,\n"
    "canaries first.";

struct FleetFlags {
  std::string placement_kind = "Placement";
  bool is_budget_from_enable = false;
  bool checks_update_graph = false;
};

fleet::RolloutSettings settings_of(const FleetFlags& flags) {
  fleet::RolloutSettings settings;
  settings.decisions.placement_kind = flags.placement_kind == "Placement"
                                          ? fleet::PlacementKind::Placement
                                          : fleet::PlacementKind::PlacementRule;
  settings.decisions.is_budget_from_enable = flags.is_budget_from_enable;
  return settings;
}

// Without authorities there is no https, and no release is found: that is told when one is asked for.
std::shared_ptr<fleet::UpdateGraph> update_graph(const ControllerHost& host) {
  const auto tls = http::make_client_context({});
  auto client = std::make_shared<http::Client>(
      host.loop.executor(), host.loop.clock(),
      http::ClientOptions{.tls = tls ? *tls : std::shared_ptr<http::TlsContext>()});
  return std::make_shared<fleet::UpdateGraph>(std::move(client), host.loop.clock());
}

ChosenController make(const ControllerHost& host, const FleetFlags& flags) {
  fleet::RolloutSettings settings = settings_of(flags);
  if (flags.checks_update_graph) settings.update_graph = update_graph(host);
  auto made = std::make_shared<fleet::RolloutController>(host.runtime, settings, host.registry);
  return {.prepare = [made] { return made->prepare(); }, .run = [made] { return made->run(); }};
}

}  // namespace

ControllerKind fleet_kind(CLI::App& command) {
  auto flags = std::make_shared<FleetFlags>();
  choice(*command
              .add_option("--placement-kind", flags->placement_kind,
                          "What rollouts place policies with: Placement or PlacementRule")
              ->default_str(flags->placement_kind),
         {"Placement", "PlacementRule"});
  command.add_flag("--budget-from-enable", flags->is_budget_from_enable,
                   "Waiting for blockers and backups uses up a rollout's time, as with older controllers");
  command.add_flag(
      "--check-update-graph", flags->checks_update_graph,
      "A release that policies ask for by version must be in the update graph of the upstream they name");
  return {
      .name = "fleet", .description = kControllersFleetDescription, .is_for_hubs = true, .complete = [flags] {
        return [flags](const ControllerHost& host) { return make(host, *flags); };
      }};
}

}  // namespace fairway::cli
