#include "ingress/texts.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::ingress {
namespace {

std::string changed(const Difference& difference) {
  using enum Difference::What;
  const auto said = [&](std::string_view field) {
    return fmt::format("The IngressController {} was changed from {} to {}.", field, quoted(difference.have),
                       quoted(difference.want));
  };
  switch (difference.what) {
    case Scope:
      return scope_changed(difference.have, difference.want);
    case LoadBalancerType:
      return said("loadBalancer.providerParameters.aws.type");
    case Subnets:
      return said("subnets");
    case EipAllocations:
      return said("eipAllocations");
    case FloatingIp:
      return said("floatingIP");
  }
  abort_because("a difference of an unknown kind", __FILE__, __LINE__);
}

constexpr std::string_view kEffectuate =
    "To effectuate this change, you must delete the service: `{}`; the service load-balancer will then be "
    "deprovisioned and a new one created.";

}  // namespace

std::string delete_command(std::string_view controller) {
  return fmt::format("oc -n {} delete svc/{}", kOperandNamespace, router_name(controller));
}

std::string revert_command(std::string_view controller, const json::Object& load_balancer) {
  json::Object strategy{{"type", kLoadBalancerService}};
  strategy["loadBalancer"] = load_balancer;
  json::Object spec;
  spec["endpointPublishingStrategy"] = std::move(strategy);
  json::Object patch;
  patch["spec"] = std::move(spec);
  return fmt::format("oc -n {} patch ingresscontrollers/{} --type=merge --patch='{}'", kOperatorNamespace,
                     controller, json::serialize(patch));
}

std::string scope_changed(std::string_view have, std::string_view want) {
  return fmt::format("The IngressController scope was changed from \"{}\" to \"{}\".", have, want);
}

std::optional<Scope> told_scope_change(std::string_view message) {
  for (const auto& [have, want] :
       {std::pair(Scope::External, Scope::Internal), std::pair(Scope::Internal, Scope::External)})
    if (message.starts_with(scope_changed(to_string(have), to_string(want)))) return want;
  return std::nullopt;
}

std::string scope_pending(std::string_view controller, const Difference& scope,
                          const std::vector<std::string>& edits) {
  std::string text = scope_changed(scope.have, scope.want) + " ";
  text += fmt::format(fmt::runtime(kEffectuate), delete_command(controller));
  text += fmt::format(" Alternatively, you can revert the change to the IngressController: `{}`.",
                      revert_command(controller, scope.revert));
  text += " Deleting the service interrupts ingress traffic and may change the address of the load balancer.";
  if (!edits.empty())
    text += fmt::format(" The new service will not have what was set on this one by hand: {}.",
                        join(edits, ", "));
  return text;
}

std::string pending_item(std::string_view controller, const Difference& difference) {
  return fmt::format(
      "{}  {} This will most likely cause the new load-balancer to have a different host name and IP address "
      "and cause disruption. To return to the previous state, you can revert the change to the "
      "IngressController: `{}`. Direct updates to the service annotations are not supported.",
      changed(difference), fmt::format(fmt::runtime(kEffectuate), delete_command(controller)),
      revert_command(controller, difference.revert));
}

std::string listed(std::vector<std::string> items) {
  std::vector<std::string> distinct;
  for (std::string& item : items)
    if (std::ranges::find(distinct, item) == distinct.end()) distinct.push_back(std::move(item));
  if (distinct.size() == 1) return distinct.front();
  return fmt::format("[{}]", join(distinct, ", "));
}

}  // namespace fairway::ingress
