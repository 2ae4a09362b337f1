// PrometheusQueries: asks a risk's query of a real Prometheus or Thanos.
//
// Token and authorities are read from their files for every question, so that rotated ones need no restart.
// Several servers stand for one another: the next is asked when one gave no verdict. Every question ends by
// its deadline.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "clusterversion/query_schedule.hpp"
#include "http/client.hpp"

namespace fairway::clusterversion {

struct PrometheusAccess {
  std::vector<http::Url> urls = {};  // at least one
  std::string token_file = {};       // empty: no token
  std::string ca_file = {};          // empty: the system's authorities
  Duration timeout = std::chrono::minutes(5);
};

class PrometheusQueries {
 public:
  PrometheusQueries(PrometheusAccess access, boost::asio::any_io_executor executor, TimerClock& clock);

  // Fails only when it is cancelled.
  Task<QueryOutcome> ask(std::string query);

 private:
  Task<QueryOutcome> ask_one(http::Url base, std::string query);
  Result<std::unique_ptr<http::Client>> client_for(const http::Url& base) const;
  Result<http::ClientRequest> request_for(const http::Url& base, const std::string& query) const;

  PrometheusAccess access_;
  boost::asio::any_io_executor executor_;
  TimerClock& clock_;
};

// BASE/api/v1/query?query=…&time=…, the time in seconds since 1970.
http::Url query_url(http::Url base, std::string_view query, WallTime at);

}  // namespace fairway::clusterversion
