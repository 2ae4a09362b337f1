#include "apiserver/events_view.hpp"

#include <array>
#include <fmt/format.h>

namespace fairway::apiserver {
namespace {

struct Renamed {
  std::string_view core;
  std::string_view view;
};

constexpr std::array<Renamed, 7> kRenamed{{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
}};

// Swaps rather than renames, so that a field which only the other form knows stays apart, too.
std::string_view other_name(std::string_view name) {
  for (const auto& [core, view] : kRenamed) {
    if (name == core) return view;
    if (name == view) return core;
  }
  return name;
}

json::Object renamed(json::Object event, std::string_view api_version) {
  json::Object out(event.storage());
  out.reserve(event.size());
  for (auto& member : event) out.emplace(other_name(member.key()), std::move(member.value()));
  if (out.contains("apiVersion")) out["apiVersion"] = api_version;
  return out;
}

}  // namespace

bool is_events_view(const Resource& resource) {
  return resource.group == "events.k8s.io" && resource.plural == "events";
}

json::Object to_events_view(json::Object core_event) {
  return renamed(std::move(core_event), "events.k8s.io/v1");
}

json::Object from_events_view(json::Object event) {
  return renamed(std::move(event), "v1");
}

std::string core_event_field(std::string_view field) {
  const std::string_view head = field.substr(0, field.find('.'));
  for (const auto& [core, view] : kRenamed) {
    if (head == view) return fmt::format("{}{}", core, field.substr(head.size()));
  }
  return std::string(field);
}

}  // namespace fairway::apiserver
