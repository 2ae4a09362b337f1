// The steps of the tour through `fairway up`, in order.
//
// Each can tell whether it has been taken, from the clusters alone: a tour that was interrupted, or whose
// server was killed, goes on where it stood.
#pragma once

#include <string>
#include <vector>

#include "cli/tour_guide.hpp"

namespace fairway::cli {

struct TourStep {
  std::string name;
  std::string title;
  std::string text;
  std::function<Result<bool>(TourGuide&)> is_taken;
  std::function<Result<void>(TourGuide&)> take;
};

std::vector<TourStep> tour_steps();

}  // namespace fairway::cli
