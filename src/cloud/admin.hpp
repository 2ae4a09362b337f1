// Admin: the cloud's own endpoint for people and tests. What it runs, and what it is told to do badly.
//
//   GET  /loadbalancers       all of them, with scope, address, ports and traffic
//   GET  /hosts               the published host names, as in /etc/hosts
//   GET  /faults              the failures that are asked for
//   POST /faults              a JSON object with those to change; the others stay
//   GET  /metrics /livez /readyz
//
// Whoever reaches it may break the cloud: it belongs on the loopback. A body must be called JSON, so that no
// web page can send one unasked.
#pragma once

#include <functional>

#include "base/metrics.hpp"
#include "cloud/service_controller.hpp"
#include "http/server.hpp"

namespace fairway::cloud {

// The cloud and the registry outlive the handler.
http::Handler admin_handler(ServiceController& cloud, const metrics::Registry& registry,
                            std::function<bool()> is_ready);

// `faults` with the fields of `change`; Invalid where one is unknown or of another kind.
Result<Faults> changed_faults(const Faults& faults, const json::Object& change);

}  // namespace fairway::cloud
