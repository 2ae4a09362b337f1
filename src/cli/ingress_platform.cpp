#include "cli/ingress_platform.hpp"

#include "cli/options.hpp"
#include "ingress/platform.hpp"

namespace fairway::cli {

void add_platform_option(CLI::App& command, std::string& into) {
  std::vector<std::string> names;
  for (const ingress::Platform& each : ingress::platforms()) names.emplace_back(each.name);
  CLI::Option& option = *command.add_option(
      "--platform", into, "The platform that load balancers are asked of, whatever Infrastructure says");
  choice(option, names).type_name("NAME");
}

}  // namespace fairway::cli
