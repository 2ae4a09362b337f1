// Faults: what the cloud is told to do badly. A plain value, changed by flags and by requests to the admin
// endpoint; the same fields and names in both.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "json/codec.hpp"

namespace fairway::cloud {

struct Faults {
  // So many calls of the cloud's own API fail, one after the other.
  std::uint32_t fail_creates = 0;
  std::uint32_t fail_changes = 0;
  std::uint32_t fail_deletes = 0;
  std::uint32_t lose_status_writes = 0;     // writes of a Service's status that get lost on the way
  std::optional<std::uint32_t> quota = {};  // of load balancers; none: any number
  bool stuck_deletes = false;               // what is being deprovisioned stays so
  bool duplicate_events = false;            // each Event is told twice
  Duration slow_watch = Duration::zero();   // changes of Services are noticed so late
  bool operator==(const Faults&) const = default;
};
BOOST_DESCRIBE_STRUCT(Faults, (),
                      (fail_creates, fail_changes, fail_deletes, lose_status_writes, quota, stuck_deletes,
                       duplicate_events, slow_watch))

}  // namespace fairway::cloud
