#include "ingress/preview.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "ingress/consent.hpp"
#include "ingress/texts.hpp"

namespace fairway::ingress {
namespace {

ScopePreview::Way way_of(const ScopePreview& preview, const Platform& platform, bool has_service) {
  using enum ScopePreview::Way;
  if (!platform.scope) return preview.want == Scope::Internal ? Unsupported : Nothing;
  if (preview.have == preview.want) return Nothing;
  // Without a Service there is nothing to change: it is created as it is wanted.
  return platform.is_mutable || !has_service ? InPlace : Recreate;
}

std::vector<std::string> warnings_of(const ScopePreview& preview, const Platform& platform) {
  std::vector<std::string> warnings;
  const bool is_change =
      preview.way == ScopePreview::Way::InPlace || preview.way == ScopePreview::Way::Recreate;
  if (is_change && platform.name == kAzure && preview.want == Scope::Internal) {
    warnings.emplace_back(
        "if this is the cluster's only public Service, the nodes may lose their way out to the internet");
  }
  return warnings;
}

std::string address_text(const ScopePreview& preview) {
  return preview.address.empty()
             ? "there is none yet"
             : fmt::format("{} is given up; the new one is of another range", preview.address);
}

void tell(std::string& text, std::string_view what, std::string_view value) {
  text += fmt::format("{:<9} {}\n", fmt::format("{}:", what), value);
}

void tell_recreation(std::string& text, const ScopePreview& preview) {
  tell(text, "how", "a new Service and a new load balancer; this platform cannot change an existing one");
  tell(text, "address", address_text(preview));
  tell(text, "outage",
       "from the deletion of the Service until the new load balancer is ready and DNS follows it");
  if (!preview.held_back.empty()) {
    tell(text, "consent", fmt::format("given, and held back. {}", preview.held_back));
  } else if (preview.is_consented) {
    tell(text, "consent",
         fmt::format("given: the IngressController carries {}; the operator deletes the Service at "
                     "once",
                     kAutoDelete));
  } else {
    tell(text, "consent",
         fmt::format("yours: nothing happens until you run `{}`", delete_command(preview.controller)));
  }
  const std::string lost = preview.lost.empty() ? "nothing that was set by hand" : join(preview.lost, ", ");
  tell(text, "lost", lost);
}

}  // namespace

std::string_view to_string(ScopePreview::Way way) {
  using enum ScopePreview::Way;
  switch (way) {
    case Nothing:
      return "nothing";
    case InPlace:
      return "in place";
    case Recreate:
      return "recreate";
    case Unsupported:
      return "unsupported";
    case NotPublished:
      return "not published by a load balancer";
  }
  abort_because("a change of an unknown kind", __FILE__, __LINE__);
}

ScopePreview preview_scope(const Observed& seen, Scope scope) {
  const Platform& platform = *seen.config.platform;
  ScopePreview preview{
      .controller = seen.controller->metadata.name, .platform = std::string(platform.name), .want = scope};
  const auto& recorded = seen.controller->status.endpoint_publishing_strategy;
  const std::string type = recorded ? recorded->type : effective_strategy(*seen.controller, seen.config).type;
  if (type != kLoadBalancerService) {
    preview.way = ScopePreview::Way::NotPublished;
    return preview;
  }
  const bool has_service = seen.service && is_owned_service(*seen.service, preview.controller);
  const LoadBalancerStrategy* wished = load_balancer_of(recorded);
  preview.have = has_service         ? observed_scope(*seen.service, platform)
                 : wished != nullptr ? scope_of(wished->scope)
                                     : Scope::External;
  const Permission permission = auto_delete_permission(*seen.controller, seen.now);
  preview.is_consented = permission.state != Permission::State::None;
  preview.held_back = permission.why;
  preview.way = way_of(preview, platform, has_service);
  preview.warnings = warnings_of(preview, platform);
  if (!has_service) return preview;
  preview.address = address_of(*seen.service);
  const auto wanted = wanted_load_balancer(*seen.controller, seen.config);
  const auto desired =
      wanted ? desired_service(*seen.controller, *wanted, seen.config, {}) : Result<json::Object>();
  if (preview.way == ScopePreview::Way::Recreate && desired)
    preview.lost = user_edits(*seen.service, *desired);
  return preview;
}

std::string to_text(const ScopePreview& preview) {
  using enum ScopePreview::Way;
  std::string text = fmt::format("IngressController {} on {}: scope {} to {}\n", preview.controller,
                                 preview.platform, to_string(preview.have), to_string(preview.want));
  switch (preview.way) {
    case Nothing:
      tell(text, "how", "nothing has to change");
      return text;
    case NotPublished:
      tell(text, "how", "it is not published by a load balancer, and the type of a strategy never changes");
      return text;
    case Unsupported:
      tell(text, "how", "not at all: this platform has no notion of a load balancer's scope");
      return text;
    case InPlace:
      tell(text, "how", "in place; the Service and its load balancer stay");
      tell(text, "address", address_text(preview));
      tell(text, "outage", "while the cloud changes the load balancer and DNS follows it");
      break;
    case Recreate:
      tell_recreation(text, preview);
      break;
  }
  tell(text, "change", revert_command(preview.controller, json::Object{{"scope", to_string(preview.want)}}));
  tell(text, "back", revert_command(preview.controller, json::Object{{"scope", to_string(preview.have)}}));
  for (const std::string& warning : preview.warnings) tell(text, "warning", warning);
  return text;
}

json::Object to_json(const ScopePreview& preview) {
  json::Object made{{"controller", preview.controller},  {"platform", preview.platform},
                    {"from", to_string(preview.have)},   {"to", to_string(preview.want)},
                    {"way", to_string(preview.way)},     {"address", preview.address},
                    {"consented", preview.is_consented}, {"heldBack", preview.held_back}};
  made["lost"] = json::to_json(preview.lost);
  made["warnings"] = json::to_json(preview.warnings);
  return made;
}

Standing standing_of(const Observed& seen) {
  const IngressController& controller = *seen.controller;
  const auto& strategy = controller.status.endpoint_publishing_strategy;
  Standing standing{.name = controller.metadata.name,
                    .domain = controller.status.domain,
                    .type = strategy ? strategy->type : std::string()};
  if (const LoadBalancerStrategy* wanted = load_balancer_of(strategy)) standing.wanted = wanted->scope;
  const bool has_service = seen.service && is_owned_service(*seen.service, standing.name);
  if (has_service && seen.config.platform != nullptr && seen.config.platform->scope)
    standing.has = std::string(to_string(observed_scope(*seen.service, *seen.config.platform)));
  if (has_service) standing.address = address_of(*seen.service);
  const auto* available = kube::find_condition(controller.status.conditions, "Available");
  standing.available = available == nullptr ? "Unknown" : available->status;
  const auto* progressing = kube::find_condition(controller.status.conditions, "Progressing");
  standing.progressing = "Unknown";
  if (progressing != nullptr) {
    const bool is_progressing = progressing->status == kube::kConditionTrue;
    standing.progressing = is_progressing ? progressing->reason : progressing->status;
    if (is_progressing) standing.message = progressing->message;
  }
  return standing;
}

std::string to_text(const std::vector<Standing>& all) {
  std::vector<std::vector<std::string>> rows = {
      {"NAME", "DOMAIN", "STRATEGY", "SCOPE", "SERVICE", "ADDRESS", "AVAILABLE", "PROGRESSING"}};
  for (const Standing& each : all) {
    rows.push_back({each.name, each.domain, each.type, each.wanted, each.has, each.address, each.available,
                    each.progressing});
  }
  std::string text = in_columns(rows);
  for (const Standing& each : all)
    if (!each.message.empty()) text += fmt::format("\n{}: {}\n", each.name, each.message);
  return text;
}

}  // namespace fairway::ingress
