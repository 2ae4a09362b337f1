// wrk, the load generator, and what it saw.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace fairway::bench {

struct WrkRun {
  std::uint16_t port = 0;
  pid_t server = 0;  // whose processor time is measured
  std::string target;
  std::vector<std::string> headers = {};
  std::string script = {};  // a Lua file that makes the requests
  int seconds = 2;
  int connections = 32;
  int core = 1;  // that wrk runs on
};

struct Round {
  double per_second = 0;
  double cpu_microseconds = 0;  // of the server, a request
  double busy = 0;              // how much of its core the server had
};

// An error when a request failed or was not answered with 2xx or 304.
Result<Round> run_wrk(const WrkRun& run);

// One of several requests that are sent in turn.
struct MixedRequest {
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers = {};
};
// Of a mix that is answered with errors too.
struct MixedRound {
  double per_second = 0;
  double p90_milliseconds = 0;
  double ok = 0;              // answers of 2xx
  double refused = 0;         // of 4xx
  double other = 0;           // any other, and requests that failed
  std::string refusals = {};  // the codes of `refused`: "400 406"
};
// `script` is written. The run's own target, headers and script are not used.
Result<MixedRound> run_wrk_mix(const WrkRun& run, const std::vector<MixedRequest>& mix,
                               const std::string& script);

double median(std::vector<double> values);
double median(const std::vector<Round>& rounds, double Round::* member);

}  // namespace fairway::bench
