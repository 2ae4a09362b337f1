#include "ingress/admission.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/condition.hpp"

namespace fairway::ingress {
namespace {

constexpr std::int64_t kHeaderBufferBytes = 32768;
constexpr std::int64_t kHeaderRewriteBytes = 8192;

std::string header_buffers(const json::Object& spec) {
  const auto size = [&](std::string_view field, std::int64_t fallback) {
    const std::int64_t given = json::get_int(spec, {"tuningOptions", field}).value_or(0);
    return given == 0 ? fallback : given;
  };
  const std::int64_t buffer = size("headerBufferBytes", kHeaderBufferBytes);
  const std::int64_t rewrite = size("headerBufferMaxRewriteBytes", kHeaderRewriteBytes);
  if (rewrite < buffer) return {};
  return fmt::format(
      "invalid spec.tuningOptions: headerBufferMaxRewriteBytes ({}) must be smaller than headerBufferBytes "
      "({})",
      rewrite, buffer);
}

std::string tls_profile(const json::Object& spec) {
  if (json::get_string(spec, {"tlsSecurityProfile", "type"}) != "Custom") return {};
  const json::Array* ciphers = json::get_array(spec, {"tlsSecurityProfile", "custom", "ciphers"});
  if (ciphers == nullptr || ciphers->empty())
    return "invalid spec.tlsSecurityProfile: a custom profile names at least one cipher";
  return {};
}

std::vector<std::string> objections(const Observed& seen, const std::string& domain) {
  std::vector<std::string> found;
  if (domain.empty()) found.emplace_back("domain is required");
  for (const std::string& rival : seen.domain_rivals)
    found.push_back(fmt::format("conflicts with: {}", rival));
  for (std::string each :
       {tls_profile(seen.controller->spec.unknown), header_buffers(seen.controller->spec.unknown)})
    if (!each.empty()) found.push_back(std::move(each));
  return found;
}

}  // namespace

bool needs_admission(const IngressController& controller) {
  const IngressControllerStatus& status = controller.status;
  const auto& strategy = status.endpoint_publishing_strategy;
  return !kube::is_condition_true(status.conditions, "Admitted") ||
         controller.metadata.generation != status.observed_generation || !strategy ||
         (strategy->type == kLoadBalancerService && !strategy->load_balancer);
}

Admission admit(const Observed& seen) {
  const IngressController& controller = *seen.controller;
  const WallTime now = std::chrono::floor<std::chrono::seconds>(seen.now);
  Admission made{.status = controller.status};
  made.status.observed_generation = controller.metadata.generation;
  const std::string domain = wanted_domain(controller, seen.config);
  const std::vector<std::string> wrong = objections(seen, domain);
  made.is_accepted = wrong.empty();
  if (!made.is_accepted) {
    kube::set_condition(made.status.conditions, said("Admitted", false, "Invalid", join(wrong, "; ")), now);
    return made;
  }
  made.status.domain = domain;
  made.status.endpoint_publishing_strategy = wanted_strategy(controller, seen.config, seen.service.get());
  kube::set_condition(made.status.conditions, said("Admitted", true, "Valid"), now);
  return made;
}

}  // namespace fairway::ingress
