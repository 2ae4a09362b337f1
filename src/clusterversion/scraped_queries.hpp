// ScrapedQueries: answers a risk's query without a Prometheus, from metrics that are read here.
//
// Endpoints (http, https) and files in the exposition format are read again and again; of the metrics that
// the wanted queries name, the last hour is kept in bounded memory. So a cluster without a monitoring stack
// still gets verdicts. A source that cannot be read makes its series stale, as in Prometheus: what cannot be
// told is then said to be so. Belongs to one event loop; evaluations run on the worker pool.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "clusterversion/query_schedule.hpp"
#include "http/client.hpp"
#include "promql/ast.hpp"
#include "promql/ring.hpp"

namespace fairway::clusterversion {

struct ScrapeSettings {
  std::vector<std::string> sources = {};  // URLs and paths
  std::string token_file = {};
  std::string ca_file = {};
  Duration interval = std::chrono::minutes(1);
  Duration timeout = std::chrono::seconds(10);
  promql::RingOptions ring = {};
};

class ScrapedQueries {
 public:
  ScrapedQueries(ScrapeSettings settings, boost::asio::any_io_executor executor, TimerClock& clock,
                 async::WorkerPool& pool);
  ScrapedQueries(const ScrapedQueries&) = delete;
  ScrapedQueries& operator=(const ScrapedQueries&) = delete;

  // Reads the sources at every interval, until cancelled.
  Task<void> run();

  // Fails only when it is cancelled. A metric that no query named before is read first.
  Task<QueryOutcome> ask(promql::Expr query);

 private:
  Task<void> scrape();
  Task<std::string> read(std::string source);
  Task<std::string> fetch(std::string source);

  ScrapeSettings settings_;
  boost::asio::any_io_executor executor_;
  TimerClock& clock_;
  async::WorkerPool& pool_;
  std::shared_ptr<promql::SampleRing> ring_;  // an evaluation may still read an earlier copy
  std::string complaint_;                     // of the sources that could not be read
};

}  // namespace fairway::clusterversion
