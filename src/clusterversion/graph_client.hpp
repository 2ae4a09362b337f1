// GraphClient: asks the update service for the graph, the way that the cluster is set up to reach it.
//
// The cluster's proxy (Proxy/cluster) and trusted authorities (ConfigMap
// openshift-config-managed/trusted-ca-bundle) are read for every request, so that a change needs no restart.
// Every failure is one of the condition RetrievedUpdates.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <expected>
#include <string>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "clusterversion/graph_answer.hpp"
#include "clusterversion/retrieval.hpp"
#include "http/client.hpp"
#include "kube/client/client.hpp"

namespace fairway::clusterversion {

struct GraphClientSettings {
  Duration timeout = std::chrono::minutes(60);  // of one retrieval
  Duration connect_timeout = std::chrono::seconds(30);
  std::string user_agent = {};
  std::size_t most_bytes = 64 * 1024 * 1024;
};

using GraphOutcome = std::expected<GraphAnswer, RetrievalFailure>;

class GraphClient {
 public:
  // All outlive it.
  GraphClient(GraphClientSettings settings, boost::asio::any_io_executor executor, kube::Client& cluster,
              async::WorkerPool& pool);

  // Fails only when it is cancelled.
  Task<GraphOutcome> fetch(GraphRequest request);

 private:
  Task<http::Response> send(std::string url);
  Task<http::Response> send_once(http::Url url);
  Task<http::ClientOptions> options_for(http::Url url);
  Task<std::string> trusted_authorities();

  GraphClientSettings settings_;
  boost::asio::any_io_executor executor_;
  kube::Client& cluster_;
  async::WorkerPool& pool_;
};

}  // namespace fairway::clusterversion
