// RecoveryNames: the folder of an automatic recovery: many backups of one device, taken while it was well,
// tried newest first when it is not. The names are MicroShift's: yyyymmddHHMMSS_<deployment id or X.Y.Z>.
//
// state.json names the backup that was restored last; it did not help when a restore is asked for again, so
// it is passed over and put away.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::device {

inline constexpr std::string_view kRecoveryState = "state.json";
inline constexpr std::string_view kFailedFolder = "failed";
inline constexpr std::string_view kRestoredFolder = "restored";

std::string recovery_name(WallTime time, std::string_view of);
// Nothing for a name of another form.
std::optional<std::string> recovery_subject(std::string_view name);
// The newest of the same system or version, other than `last`; nothing when none is left.
std::optional<std::string> choose_recovery(const std::vector<std::string>& names, std::string_view of,
                                           std::string_view last);

// {"LastBackup": "…"}; "" when there is none.
Result<std::string> parse_recovery_state(std::string_view text);
std::string serialize_recovery_state(std::string_view last);

}  // namespace fairway::device
