// ClusterVersionController: the operator with its far ends, put together from settings, for one cluster.
//
//   ClusterVersionController controller(loop, runtime, registry, settings);
//   co_await controller.prepare();
//   … runtime.run() and controller.run() side by side …
//   co_await controller.stop();
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/event_loop.hpp"
#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "base/metrics.hpp"
#include "clusterversion/graph_client.hpp"
#include "clusterversion/operator.hpp"
#include "clusterversion/payload_source.hpp"
#include "clusterversion/prometheus_queries.hpp"
#include "clusterversion/scraped_queries.hpp"
#include "clusterversion/verification.hpp"
#include "kube/runtime/runtime.hpp"
#include "promql/limits.hpp"

namespace fairway::clusterversion {

struct ControllerSettings {
  OperatorSettings decisions = {};
  GraphClientSettings graph = {};
  // Where queries are asked: one of the two, or neither.
  std::optional<PrometheusAccess> prometheus = {};
  std::optional<ScrapeSettings> scrape = {};
  promql::Limits query_limits = {};
  PayloadSettings payloads = {};
  VerificationSettings verification = {};
  std::vector<std::string> signature_stores = {};
};

class ClusterVersionController {
 public:
  // All outlive it.
  ClusterVersionController(async::EventLoop& loop, kube::Runtime& runtime, metrics::Registry& registry,
                           ControllerSettings settings);
  ~ClusterVersionController();
  ClusterVersionController(const ClusterVersionController&) = delete;
  ClusterVersionController& operator=(const ClusterVersionController&) = delete;

  // Learns what the API server knows and can store. Before the runtime runs.
  Task<void> prepare();
  // What goes on beside the runtime, until cancelled.
  Task<void> run();
  boost::asio::awaitable<void> stop();

 private:
  Task<QueryOutcome> ask(std::string query);
  OperatorParts parts();

  ControllerSettings settings_;
  kube::Runtime& runtime_;
  async::WorkerPool pool_;
  SystemProcess process_;
  http::Client signature_client_;
  GraphClient graph_;
  std::optional<PrometheusQueries> prometheus_;
  std::optional<ScrapedQueries> scraped_;
  PayloadSource payloads_;
  ReleaseVerifier verifier_;
  ReleaseRetriever retriever_;
  ClusterVersionOperator operator_;
};

}  // namespace fairway::clusterversion
