// UpdateGraph: whether a release is in the update graph that a policy names, asked of the update service.
//
// Rollouts that ask for a release by version are valid only when the graph of their channel has it. An answer
// is good for kGraphLifetime; what cannot be told is not there: better a rollout that waits than one that
// sends clusters to a release that nobody has. Belongs to one event loop.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "fleet/policies.hpp"
#include "http/client.hpp"

namespace fairway::fleet {

inline constexpr Duration kGraphLifetime = std::chrono::minutes(5);

class UpdateGraph {
 public:
  UpdateGraph(std::shared_ptr<http::Transport> transport, TimerClock& clock)
      : transport_(std::move(transport)), clock_(clock) {}

  // By upstream, channel and version; fails only when the caller is cancelled.
  Task<bool> has_release(PlatformFields asked);

 private:
  struct Answer {
    SteadyTime at;
    std::set<std::string> versions;
  };

  Task<std::set<std::string>> fetch(std::string upstream, std::string channel);

  std::shared_ptr<http::Transport> transport_;
  TimerClock& clock_;
  std::map<std::pair<std::string, std::string>, Answer> answers_;  // by upstream and channel
};

}  // namespace fairway::fleet
