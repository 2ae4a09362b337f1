// The rollouts of a fleet among the controllers that `fairway controllers` runs.
#include "cli/controller_kind.hpp"
#include "cli/options.hpp"
#include "fleet/hub/rollout_controller.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kDescription =
    "fleet carries out ClusterGroupUpgrades of a hub: policies are enforced on one batch of clusters after "
    "the other,\n"
    "canaries first.";

struct FleetFlags {
  std::string placement_kind = "Placement";
  bool is_budget_from_enable = false;
};

ChosenController make(const ControllerHost& host, const fleet::RolloutSettings& settings) {
  auto made = std::make_shared<fleet::RolloutController>(host.runtime, settings, host.registry);
  return {.prepare = [made] { return made->prepare(); }, .run = [made] { return made->run(); }};
}

fleet::RolloutSettings settings_of(const FleetFlags& flags) {
  fleet::RolloutSettings settings;
  settings.decisions.placement_kind = flags.placement_kind == "Placement"
                                          ? fleet::PlacementKind::Placement
                                          : fleet::PlacementKind::PlacementRule;
  settings.decisions.is_budget_from_enable = flags.is_budget_from_enable;
  return settings;
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
  return {.name = "fleet", .description = kDescription, .is_for_hubs = true, .complete = [flags] {
            return
                [settings = settings_of(*flags)](const ControllerHost& host) { return make(host, settings); };
          }};
}

}  // namespace fairway::cli
