// The resolver of placements among the controllers that `fairway controllers` runs.
#include "cli/controller_kind.hpp"
#include "cli/options.hpp"
#include "fleet/hub/placement_controller.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kControllersPlacementDescription =
    "placement resolves Placements and PlacementRules of a hub into clusters, where Open Cluster Management "
    "does not.";

ChosenController make(const ControllerHost& host, const fleet::PlacementSettings& settings) {
  auto made = std::make_shared<fleet::PlacementController>(host.runtime, settings, host.registry);
  return {.prepare = [made] { return made->prepare(); }};
}

}  // namespace

ControllerKind placement_kind(CLI::App& command) {
  auto sets = std::make_shared<std::string>("implicit");
  choice(*command
              .add_option("--cluster-sets", *sets,
                          "From where a namespace without a ManagedClusterSetBinding chooses: implicit, from "
                          "all clusters; bound, from none")
              ->default_str(*sets),
         {"implicit", "bound"});
  return {.name = "placement",
          .description = kControllersPlacementDescription,
          .is_for_hubs = true,
          .complete = [sets] {
            const fleet::PlacementSettings settings{.has_implicit_set = *sets == "implicit"};
            return [settings](const ControllerHost& host) { return make(host, settings); };
          }};
}

}  // namespace fairway::cli
