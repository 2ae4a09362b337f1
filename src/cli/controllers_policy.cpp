// The propagator of policies among the controllers that `fairway controllers` runs.
#include "cli/controller_kind.hpp"
#include "fleet/hub/policy_controller.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kControllersPolicyDescription =
    "policy carries the policies of a hub to the clusters that they are bound to and rolls their compliance "
    "up,\n"
    "where Open Cluster Management does not.";

ChosenController make(const ControllerHost& host) {
  auto made = std::make_shared<fleet::PolicyController>(host.runtime, fleet::PolicySettings{}, host.registry);
  return {.prepare = [made] { return made->prepare(); }};
}

}  // namespace

ControllerKind policy_kind(CLI::App&) {
  return {
      .name = "policy", .description = kControllersPolicyDescription, .is_for_hubs = true, .complete = [] {
        return [](const ControllerHost& host) { return make(host); };
      }};
}

}  // namespace fairway::cli
