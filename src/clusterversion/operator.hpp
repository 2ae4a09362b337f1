// ClusterVersionOperator: keeps ClusterVersion/version true. Observe → decide (decide.hpp) → act.
//
// It remembers what the object does not say (Memory) and owns what takes long: asking for the graph, asking a
// query, retrieving a release. Those run beside the control loop, so that a change of the object is looked at
// at once, and make the object due when they end. Belongs to the runtime's event loop; stop() before it goes.
//
//   ClusterVersionOperator cluster_version(runtime, settings, parts, registry);
//   … runtime.run() …
//   co_await cluster_version.stop();
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "async/task_group.hpp"
#include "base/metrics.hpp"
#include "clusterversion/decide.hpp"
#include "clusterversion/graph_client.hpp"
#include "clusterversion/release_retriever.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::clusterversion {

// The far ends. Each fails only when it is cancelled.
struct OperatorParts {
  std::function<Task<GraphOutcome>(GraphRequest)> fetch_graph;
  std::function<Task<QueryOutcome>(std::string)> ask;
  std::function<Task<Retrieval>(RetrieveRelease)> retrieve;
};

class OperatorMetrics;

class ClusterVersionOperator {
 public:
  // Adds its caches and its controller to the runtime. All outlive it but for the runtime, which goes first.
  ClusterVersionOperator(kube::Runtime& runtime, boost::asio::any_io_executor executor,
                         std::shared_ptr<const OperatorSettings> settings, OperatorParts parts,
                         metrics::Registry& registry);
  ~ClusterVersionOperator();
  ClusterVersionOperator(const ClusterVersionOperator&) = delete;
  ClusterVersionOperator& operator=(const ClusterVersionOperator&) = delete;

  // Cancels what is under way and waits for its end.
  boost::asio::awaitable<void> stop();

  // Both before the runtime runs: what the API server can store, and that it knows ClusterOperators.
  void set_storable(Storable storable) { storable_ = storable; }
  void watch_operators();

 private:
  Task<Observed> observe();
  Task<void> act(Action action);

  Task<void> carry_out(WriteStatus action);
  Task<void> carry_out(FetchGraph action);
  Task<void> carry_out(AskQuery action);
  Task<void> carry_out(RetrieveRelease action);
  Task<void> carry_out(ApplyManifest action);
  Task<void> carry_out(CheckManifest action);

  Task<void> fetch(FetchGraph action, Moment begun);
  Task<void> ask(std::string query);
  Task<void> retrieve(RetrieveRelease action);
  Task<json::Object> apply(const PayloadManifest& manifest);
  Task<json::Object> look_at(const PayloadManifest& manifest);
  Task<void> write_refusal(std::shared_ptr<const ClusterVersion> object, Error error);

  Moment now() const;
  void look_again();
  std::shared_ptr<const ClusterVersion> current() const;
  UpgradeFacts facts() const;
  void tell_changes(const ClusterVersion& before, const ClusterVersionStatus& after);

  kube::Runtime& runtime_;
  std::shared_ptr<const OperatorSettings> settings_;
  OperatorParts parts_;
  Storable storable_;
  Memory memory_;
  // What was last written, until the cache has seen it: over which version, and the result.
  std::string written_over_;
  std::shared_ptr<const ClusterVersion> written_;
  ClusterVersionStatus wanted_;  // that it was written from

  kube::Cache<ClusterVersion>& objects_;
  kube::ObjectCache& gates_;
  kube::ObjectCache& acks_;
  kube::ObjectCache* operators_ = nullptr;  // where the server knows the kind
  kube::Controller* controller_ = nullptr;
  std::unique_ptr<OperatorMetrics> metrics_;
  async::TaskGroup jobs_;
  async::TaskGroup::TaskId fetching_ = async::TaskGroup::kRefused;
};

}  // namespace fairway::clusterversion
