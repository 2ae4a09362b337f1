// The decisions: from the whole state to a plan. Pure, total, deterministic.
//
// Rows are those of the table in docs/device.md: G guards, B backs up, R restores or sets aside, V judges
// versions, M migrates, S stamps, P prunes. Not being able to tell never restores, sets aside or removes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/observed.hpp"
#include "device/plan.hpp"

namespace fairway::device {

// Before the application starts.
Plan decide_pre_run(const Observed& seen);
// After the system was judged.
Plan decide_green(const Observed& seen);
Plan decide_red(const Observed& seen);
// The administrator wants the next boot to restore; `deployment` names one backup and no other.
Plan decide_request_restore(const Observed& seen, const std::optional<std::string>& deployment);
// What an interrupted operation left to do; for verbs that do not decide anything else.
Plan decide_recovery(const Observed& seen);
// Backups whose deployment is gone; nothing when the list of deployments could not be read.
std::vector<Step> decide_prune(const Observed& seen);

// The backup that a restore would take now; null when there is none.
const Backup* restore_candidate(const Observed& seen, const RestoreRequest& request,
                                const std::optional<std::string>& predecessor);

}  // namespace fairway::device
