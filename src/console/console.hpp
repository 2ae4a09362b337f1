// Console: the pages and, on the same origin, what they read: the clusters' APIs with the user's token, the
// update service, and two questions about risks. It has no rights of its own.
//
//   console::Console console(settings, pool);
//   http::Server::listen(…, [&](const auto& request, auto& writer) { return console.serve(request, writer);
//   });
//
// Lives on the loop of its server; queries are evaluated on the pool. Both outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "async/worker_pool.hpp"
#include "console/pages.hpp"
#include "console/relay.hpp"
#include "promql/ast.hpp"
#include "promql/explain.hpp"
#include "promql/verdict.hpp"

namespace fairway::console {

struct Explained {
  promql::Verdict verdict;
  promql::ExplainedNode tree;
};

// Evaluates a query on the metrics of one cluster, now. Blocks; called on the pool, also at the same time.
using Explainer = std::function<Result<Explained>(const promql::Expr& query)>;

struct ConsoleCluster {
  std::string name;
  bool is_hub = false;
  Upstream api = {};
  Explainer explain = {};  // none: the metrics cannot be read here
};

struct ConsoleSettings {
  std::string version;
  Files pages = embedded_pages();
  std::vector<ConsoleCluster> clusters = {};
  std::optional<Upstream> updates = {};
};

class Console {
 public:
  Console(ConsoleSettings settings, async::WorkerPool& pool);

  Task<void> serve(const http::Request& request, http::ResponseWriter& writer);

 private:
  Task<void> serve_cluster(const http::Request& request, std::string_view rest, http::ResponseWriter& writer);
  Task<void> serve_updates(const http::Request& request, std::string_view rest, http::ResponseWriter& writer);
  Task<http::Response> why(const http::Request& request);
  Task<http::Response> what_if(const http::Request& request);
  // Nothing where the user may read the cluster's version; else what the cluster answered.
  Task<http::Response> read_version(const ConsoleCluster& cluster, const http::Request& request);
  const ConsoleCluster* find_cluster(std::string_view name) const;
  http::Response describe() const;

  ConsoleSettings settings_;
  async::WorkerPool& pool_;
};

}  // namespace fairway::console
