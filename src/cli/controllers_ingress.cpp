// The ingress operator among the controllers that `fairway controllers` runs.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/build_facts.hpp"
#include "cli/controller_kind.hpp"
#include "cli/ingress_platform.hpp"
#include "ingress/operator.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kControllersIngressDescription =
    "ingress publishes every IngressController by a load balancer, and makes a change that interrupts "
    "traffic only\n"
    "with the administrator's consent.";

ChosenController make(const ControllerHost& host, const ingress::OperatorSettings& settings) {
  auto made = std::make_shared<ingress::IngressOperator>(host.runtime, settings, host.registry);
  return {.prepare = [made] { return made->prepare(); }};
}

}  // namespace

ControllerKind ingress_kind(CLI::App& command) {
  auto settings = std::make_shared<ingress::OperatorSettings>();
  settings->version = build::kVersion;
  add_platform_option(command, settings->platform);
  auto& decisions = settings->decisions;
  command.add_option("--router-image", decisions.router_image, "The image of routers; HAProxy")
      ->type_name("IMAGE")
      ->default_str(decisions.router_image);
  return {.name = "ingress", .description = kControllersIngressDescription, .complete = [settings] {
            return [settings](const ControllerHost& host) { return make(host, *settings); };
          }};
}

}  // namespace fairway::cli
