// Front: what every request passes through: who asks, may they, is there room, and afterwards the audit log
// and the metrics. Behind it are the endpoints and the verbs.
#pragma once

#include <cstddef>

#include "apiserver/access.hpp"
#include "apiserver/audit.hpp"
#include "apiserver/clusters.hpp"
#include "apiserver/endpoints.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/rest.hpp"
#include "base/metrics.hpp"
#include "http/server.hpp"

namespace fairway::apiserver {

struct FrontParts {
  Access& access;
  Clusters& clusters;
  Objects& objects;
  Rest& rest;
  Endpoints& endpoints;
  AuditLog* audit;  // null: no log
  TimerClock& clock;
  metrics::Registry& metrics;
};

class Front {
 public:
  Front(FrontParts parts, std::size_t max_in_flight);

  Task<void> serve(const http::Request& request, http::ResponseWriter& writer);

 private:
  struct Visit;  // one request, as far as it is known

  Task<void> dispatch(Visit& visit, http::ResponseWriter& writer);
  Task<void> serve_resource(Visit& visit, const LogicalCluster& cluster, http::ResponseWriter& writer);
  ApiTask<http::Response> answer_review(const Visit& visit, const Resource& resource,
                                        const ServedVersion& version);
  ApiTask<http::Response> answer_token_request(const Visit& visit, const Resource& resource);
  void record(const Visit& visit, const http::ResponseWriter& writer);

  FrontParts parts_;
  std::size_t max_in_flight_;
  metrics::Family<metrics::Counter>& requests_;
  metrics::Family<metrics::Histogram>& durations_;
  std::size_t in_flight_ = 0;
};

}  // namespace fairway::apiserver
