// Events have two faces: v1 Event of the core group, which is stored, and events.k8s.io/v1 Event. Both show
// the same objects; a few fields have other names. The two functions rename them, lose nothing, and undo each
// other.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/catalog.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

// Whether the resource shows core events in the form of events.k8s.io.
bool is_events_view(const Resource& resource);

json::Object to_events_view(json::Object core_event);
json::Object from_events_view(json::Object event);

// The core name of a field that a selector of events.k8s.io speaks of: regarding.kind is involvedObject.kind.
std::string core_event_field(std::string_view field);

}  // namespace fairway::apiserver
