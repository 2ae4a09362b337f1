// Status page: liveness, readiness and metrics, under the paths that each of the reference's parts uses.
//
// Liveness depends on nothing but this process. Readiness is there once a graph is served and goes when that
// has become too old; ?verbose tells all of it in lines. The text is pure; the handler only chooses.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "updateservice/refresher.hpp"

namespace fairway::updateservice {

struct Health {
  RefreshStatus refresh;
  Duration stale_after = {};  // zero: never
  SteadyTime now = {};
  std::vector<std::pair<std::string, std::string>> failing_queries = {};
  bool decides_by_id = false;

  bool is_ready() const;
  // "[+]graph: …" a line, as Kubernetes' own servers do it.
  std::string verbose() const;
};

}  // namespace fairway::updateservice
