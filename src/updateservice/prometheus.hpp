// Prometheus: asks a query for all clusters at once.
//
// The answer is read as it arrives (query_result.hpp) and sorted on a worker. A token is read from its file
// for every query, so that a rotated one needs no restart. Any failure is an error that says what to look at;
// what it means is the caller's business.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "updateservice/id_set.hpp"

namespace fairway::updateservice {

struct PrometheusSettings {
  http::Url url;
  std::string token_file = {};  // empty: no token
  Duration timeout = std::chrono::seconds(30);
};

struct ClusterIds {
  IdSet ids;
  std::size_t without_id = 0;
  std::size_t with_other_value = 0;
  std::size_t warnings = 0;
};

class Prometheus {
 public:
  // All outlive it.
  Prometheus(PrometheusSettings settings, http::Transport& transport, TimerClock& clock,
             async::WorkerPool& pool);

  Task<ClusterIds> ask(std::string query);

 private:
  Task<ClusterIds> ask_without_deadline(std::string query);
  Result<http::ClientRequest> request_for(const std::string& query) const;

  PrometheusSettings settings_;
  http::Transport& transport_;
  TimerClock& clock_;
  async::WorkerPool& pool_;
};

}  // namespace fairway::updateservice
