// Events live for a while and then go: the newest hour or so of what happened, not an archive.
#pragma once

#include "apiserver/clusters.hpp"
#include "apiserver/objects.hpp"
#include "async/task.hpp"

namespace fairway::apiserver {

// When the event was last written: its last occurrence, or its creation.
WallTime last_seen(const json::Object& event);

// Deletes expired events now and then, until it is cancelled.
Task<void> expire_events(Objects& objects, Clusters& clusters, TimerClock& clock, Duration lifetime);

}  // namespace fairway::apiserver
