// Services: the units of the guarded application, as systemd knows them. Where there is no systemd, or the
// device's files are another machine's, nothing runs.
#pragma once

#include "base/result.hpp"
#include "device/place.hpp"

namespace fairway::device {

// Conflict, in MicroShift's words, when one of them is neither inactive nor failed.
Result<void> check_stopped(const Place& place, bool is_backup);
Result<void> stop_services(const Place& place);

}  // namespace fairway::device
