// Where a rollout stands, read from nothing but its object: what a restart goes on from. Pure.
#pragma once

#include <string_view>
#include <variant>

#include "fleet/types.hpp"

namespace fairway::fleet {

namespace phase {
struct Gone {};       // there is no object
struct Deleting {};   // its finalizer is still there
struct Unclaimed {};  // without our finalizer: nothing has been done for it
struct Preparing {};  // selected, validated and planned anew at every look, until nothing holds it back
struct Rolling {
  std::size_t batch = 1;   // from 1; of as many as the plan has
  bool is_open = false;    // its start is on record
  bool is_canary = false;  // whose failure ends the rollout
  bool is_last = false;
  bool is_over = false;  // every cluster of it is on record as complete, timed out or skipped
};
struct Finished {
  bool has_succeeded = false;
  bool is_closed = false;  // cleaned up and stamped: nothing ever happens again
};
}  // namespace phase

using Phase = std::variant<phase::Gone, phase::Deleting, phase::Unclaimed, phase::Preparing, phase::Rolling,
                           phase::Finished>;
Phase phase_of(const ClusterGroupUpgrade* rollout);
std::string_view to_string(const Phase& phase);

}  // namespace fairway::fleet
