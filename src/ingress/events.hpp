// What is worth an Event about a controller: of an action that was carried out, and of what stands. Pure.
#pragma once

#include <string>
#include <vector>

#include "ingress/decide.hpp"

namespace fairway::ingress {

struct EventText {
  std::string reason;
  std::string message;
  bool is_warning = false;
  bool operator==(const EventText&) const = default;
};

std::vector<EventText> events_of(const Action& action);
// Warnings that hold as long as things are as they are; told when they change.
std::vector<EventText> standing_warnings(const Observed& seen);

}  // namespace fairway::ingress
