// ServiceMetrics: what the service counts, under the names that dashboards of the reference know and our own.
//
// One process plays three roles, so it shows the builder's (cincinnati_gb_), the policy engine's
// (cincinnati_pe_) and the metadata helper's names. Label values come from fixed lists, never from clients.
#pragma once

#include <string>
#include <string_view>

#include "base/metrics.hpp"

namespace fairway::updateservice {

struct ServiceMetrics {
  explicit ServiceMetrics(metrics::Registry& registry, std::string_view git_commit);

  // The policy engine.
  metrics::Family<metrics::Counter>& requests;         // by uri_path
  metrics::Family<metrics::Counter>& response_errors;  // by code and kind
  metrics::Histogram& serve_duration;
  // The builder.
  metrics::Gauge& final_releases;
  metrics::Gauge& raw_releases;
  metrics::Gauge& last_refresh;
  metrics::Gauge& first_scrape_duration;
  metrics::Counter& scrapes;
  metrics::Counter& scrape_errors;
  metrics::Histogram& scrape_duration;
  metrics::Family<metrics::Counter>& builder_requests;
  // The metadata helper.
  metrics::Family<metrics::Counter>& signature_requests;
  // Our own.
  metrics::Family<metrics::Counter>& negotiated;  // by uri_path and media_type
  metrics::Gauge& graph_failing;                  // 1 while the last refresh failed
  metrics::Gauge& channels;
  metrics::Gauge& alerts;  // of the builder: releases and edges left out
  metrics::Gauge& body_bytes;
  metrics::Counter& by_id;
  metrics::Counter& rate_limited;
  metrics::Gauge& waiting;
};

}  // namespace fairway::updateservice
