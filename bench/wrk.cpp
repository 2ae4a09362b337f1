#include "wrk.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

#include "nginx_peer.hpp"

namespace fairway::bench {

Result<Round> run_wrk(const WrkRun& run) {
  std::string command =
      fmt::format("taskset -c {} wrk -t1 -c{} -d{}s", run.core, run.connections, run.seconds);
  for (const std::string& header : run.headers) command += fmt::format(" -H '{}'", header);
  if (!run.script.empty()) command += fmt::format(" -s {}", run.script);
  command += fmt::format(" 'http://127.0.0.1:{}{}' 2>&1", run.port, run.target);
  const double before = cpu_seconds(run.server);
  FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) return fail(ErrorCode::Unavailable, "cannot run wrk");
  std::string text;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, output)) > 0;) text.append(block, got);
  if (::pclose(output) != 0) return fail(ErrorCode::Unavailable, "wrk failed: " + text);
  const double used = cpu_seconds(run.server) - before;
  if (text.contains("Non-2xx") || text.contains("Socket errors"))
    return fail(ErrorCode::Unavailable, "wrk saw errors: " + text);
  const std::string_view mark = "Requests/sec:";
  const std::size_t rate = text.find(mark);
  const std::size_t requests = text.find(" requests in");
  if (rate == std::string::npos || requests == std::string::npos)
    return fail(ErrorCode::Unavailable, "wrk said something unexpected: " + text);
  const double count = std::strtod(text.c_str() + text.rfind('\n', requests) + 1, nullptr);
  return Round{.per_second = std::strtod(text.c_str() + rate + mark.size(), nullptr),
               .cpu_microseconds = used / count * 1e6,
               .busy = used / run.seconds};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double median(const std::vector<Round>& rounds, double Round::* member) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(round.*member);
  return median(std::move(values));
}

}  // namespace fairway::bench
