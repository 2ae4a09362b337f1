// Rolling: one look at a rollout that is under way, for decide_roll*.cpp alone.
//
// A cluster of the batch waits (NotStarted), is on its way (InProgress) or is through; one whose time is over
// has a row that says so and goes on late. Usually a batch starts all its clusters at once. With controls
// that meter it (rolling, maxUnavailable, retry) it takes clusters in as there is room, and each time that it
// does counts as a step of the fence (placements.hpp), as opening a batch does.
#pragma once

#include <string>
#include <vector>

#include "fleet/draft.hpp"
#include "fleet/holds.hpp"
#include "fleet/progress.hpp"
#include "fleet/timeouts.hpp"

namespace fairway::fleet {

struct Rolling {
  Rolling(const Observed& seen, const phase::Rolling& where)
      : draft(seen), at(where), path(seen, draft.status) {}

  Draft draft;
  const phase::Rolling& at;
  Path path;

  WallTime now() const { return draft.seen.now; }
  const RolloutControls& controls() const { return controls_of(draft.rollout.spec); }
  RolloutNotes& notes() { return draft.status.rollout; }
  const Batch& batch() const { return draft.status.remediation_plan[at.batch - 1]; }
  std::map<std::string, ClusterProgress>& progress() {
    return draft.status.status.current_batch_remediation_progress;
  }
  Deadlines deadlines() const { return deadlines_of(draft.rollout.spec.remediation_strategy, draft.status); }
};

// decide_roll_clusters.cpp

// Clusters go along the policies, are skipped, or run out of time: those of the batch and those that are
// late.
void move_clusters(Rolling& rolling);
void move_late_clusters(Rolling& rolling);
// Nothing is left to do there: complete or skipped.
bool is_through(Rolling& rolling, const std::string& cluster);
// Of all batches: their time is over, and they go on to the end of the rollout. Better late than half done.
std::vector<std::string> late_clusters(const Rolling& rolling);
// Rows of those that are on their way, and the event.
void record_late(Rolling& rolling);
// Whether clusters of the batch start as there is room: because the controls ask for it, or did when the
// batch was planned with more clusters than may be on their way.
bool is_metered(const Draft& draft);
// Clusters that wait and for which there is room now, in their order.
std::vector<std::string> admissible(const Draft& draft);
void start_cluster(Draft& draft, const std::string& cluster);

// decide_roll_placements.cpp: whom policies are enforced on, or who has which work

// Each cluster is in the placements of its policy and of those before it, or has its work.
enum class Named { All, LateOnly, Nobody };
void enforce(Rolling& rolling, Named whom = Named::All);
// The next number, so that whatever was decided from an older look is refused. Nobody is named any more but
// those who are late and, with `keeps_active`, those who are on their way.
void raise_fence(Rolling& rolling, bool keeps_active);
// Whether somebody still has a work who is neither on the way nor late: works have no fence, and go in their
// own time.
bool has_other_works(Rolling& rolling);

}  // namespace fairway::fleet
