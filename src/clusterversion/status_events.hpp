// What is worth an Event between two statuses of the object. Pure.
#pragma once

#include <string>
#include <vector>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

struct EventText {
  std::string reason;
  std::string message;
  bool is_warning = false;
  bool operator==(const EventText&) const = default;
};

std::vector<EventText> status_events(const ClusterVersionStatus& before, const ClusterVersionStatus& after);

}  // namespace fairway::clusterversion
