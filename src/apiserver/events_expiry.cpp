#include "apiserver/events_expiry.hpp"

#include <algorithm>

#include "apiserver/sweep.hpp"
#include "async/notify.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {

WallTime last_seen(const json::Object& event) {
  WallTime latest{};
  const auto consider = [&](json::Path path) {
    const auto text = json::get_string(event, path);
    const auto time = text ? parse_rfc3339(*text) : std::nullopt;
    if (time) latest = std::max(latest, *time);
  };
  consider({"metadata", "creationTimestamp"});
  consider({"firstTimestamp"});
  consider({"lastTimestamp"});
  consider({"eventTime"});
  consider({"series", "lastObservedTime"});
  return latest;
}

Task<void> expire_events(Objects& objects, Clusters& clusters, TimerClock& clock, Duration lifetime) {
  for (;;) {
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, lifetime / 12));
    for (const std::string& name : clusters.names()) {
      const auto catalog = clusters.find(name)->catalog;
      const Resource* events = catalog->find("", "events");
      const WallTime oldest = clock.now() - lifetime;
      auto expired = objects.store().list({.cluster = name, .resource = events->stored_as}).entries;
      std::erase_if(expired,
                    [&](const auto& entry) { return last_seen(parse_stored(entry->value)) >= oldest; });
      co_await sweep(objects, *events, std::move(expired));
    }
  }
}

}  // namespace fairway::apiserver
