#include "updateservice/service_metrics.hpp"

namespace fairway::updateservice {

ServiceMetrics::ServiceMetrics(metrics::Registry& registry, std::string_view git_commit)
    : requests(
          registry.counter("cincinnati_pe_graph_incoming_requests_total", "requests by path", {"uri_path"})),
      response_errors(registry.counter("cincinnati_pe_graph_response_errors_total",
                                       "answers that were errors, by status and kind", {"code", "kind"})),
      serve_duration(registry
                         .histogram("cincinnati_pe_graph_serve_duration_seconds",
                                    "from a whole request for a graph to the last byte of the answer",
                                    {.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 5})
                         .with()),
      final_releases(registry.gauge("cincinnati_gb_graph_final_releases", "releases in the graph").with()),
      raw_releases(
          registry.gauge("cincinnati_gb_graph_upstream_raw_releases", "releases that the source has").with()),
      last_refresh(registry
                       .gauge("cincinnati_gb_graph_last_successful_refresh_timestamp",
                              "when the graph was last built, in seconds since 1970")
                       .with()),
      first_scrape_duration(registry
                                .gauge("cincinnati_gb_graph_initial_upstream_scrape_duration",
                                       "how long the first refresh took, in seconds")
                                .with()),
      scrapes(registry.counter("cincinnati_gb_graph_upstream_scrapes_total", "refreshes").with()),
      scrape_errors(
          registry.counter("cincinnati_gb_graph_upstream_errors_total", "refreshes that failed").with()),
      scrape_duration(registry
                          .histogram("cincinnati_gb_graph_upstream_scrapes_duration",
                                     "how long refreshes take, in seconds, without the first",
                                     {5, 6, 7, 8, 9, 10, 15, 20, 30})
                          .with()),
      builder_requests(registry.counter("cincinnati_gb_graph_incoming_requests_total",
                                        "requests to the builder's endpoints by path", {"uri_path"})),
      signature_requests(registry.counter("metadata_helper_signatures_incoming_requests_total",
                                          "requests for signatures", {"uri_path"})),
      negotiated(registry.counter("fairway_update_service_requests_total",
                                  "requests for a graph by path and negotiated media type",
                                  {"uri_path", "media_type"})),
      graph_failing(registry
                        .gauge("fairway_update_service_refresh_failing",
                               "1 while the last refresh failed and an older graph is served")
                        .with()),
      channels(registry.gauge("fairway_update_service_channels", "channels in the graph").with()),
      alerts(registry
                 .gauge("fairway_update_service_build_alerts",
                        "releases and edges that were left out of the graph because they are in doubt")
                 .with()),
      body_bytes(
          registry.gauge("fairway_update_service_body_bytes", "memory of all prepared answers").with()),
      by_id(registry
                .counter("fairway_update_service_targeted_requests_total",
                         "requests whose answer was decided by the client's id")
                .with()),
      rate_limited(registry
                       .counter("fairway_update_service_rate_limited_total",
                                "requests with an id that were refused because their source sends too many")
                       .with()),
      waiting(registry
                  .gauge("fairway_update_service_waiting_requests",
                         "requests that wait for a query of Prometheus or a computation")
                  .with()) {
  for (const char* prefix : {"cincinnati_gb_", "cincinnati_pe_", "metadata_helper_"}) {
    registry.counter(std::string(prefix) + "build_info", "1, by the commit that was built", {"git_commit"})
        .with({std::string(git_commit)})
        .add();
  }
}

}  // namespace fairway::updateservice
