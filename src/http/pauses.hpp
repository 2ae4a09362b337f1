// How long servers wait where no setting says so.
#pragma once

#include "base/clock.hpp"

namespace fairway::http {

// Out of descriptors or memory: connections end by themselves, then others are accepted again.
inline constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
// For a client that still sends after its last answer, so that it sees the answer.
inline constexpr Duration kLingerTime = std::chrono::seconds(2);

}  // namespace fairway::http
