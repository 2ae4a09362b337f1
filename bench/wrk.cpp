#include "wrk.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

#include "nginx_peer.hpp"

namespace fairway::bench {
namespace {

// What it prints.
Result<std::string> wrk_output(const WrkRun& run) {
  std::string command =
      fmt::format("taskset -c {} wrk -t1 -c{} -d{}s", run.core, run.connections, run.seconds);
  for (const std::string& header : run.headers) command += fmt::format(" -H '{}'", header);
  if (!run.script.empty()) command += fmt::format(" -s {}", run.script);
  command += fmt::format(" 'http://127.0.0.1:{}{}' 2>&1", run.port, run.target);
  FILE* output = ::popen(command.c_str(), "r");
  if (output == nullptr) return fail(ErrorCode::Unavailable, "cannot run wrk");
  std::string text;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, output)) > 0;) text.append(block, got);
  if (::pclose(output) != 0) return fail(ErrorCode::Unavailable, "wrk failed: " + text);
  return text;
}

double number_after(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + mark.size(), nullptr);
}

std::string lua_of(const std::vector<MixedRequest>& mix) {
  std::string lua = "local mix = {\n";
  for (const MixedRequest& request : mix) {
    lua += fmt::format("  {{'{}', {{", request.target);
    for (const auto& [name, value] : request.headers) lua += fmt::format("['{}']='{}',", name, value);
    lua += "}},\n";
  }
  return lua + R"(}
local next = 0
local threads = {}
setup = function(thread) table.insert(threads, thread) end
init = function() ok = 0; refused = 0; other = 0; refusals = "" end
request = function()
  next = next % #mix + 1
  return wrk.format("GET", mix[next][1], mix[next][2])
end
response = function(status)
  if status >= 200 and status < 300 then ok = ok + 1
  elseif status >= 400 and status < 500 then
    refused = refused + 1
    if not refusals:find(status) then refusals = refusals .. " " .. status end
  else other = other + 1 end
end
done = function(summary, latency)
  local thread = threads[1]
  local errors = summary.errors
  print("mix-ok: " .. thread:get("ok"))
  print("mix-refused: " .. thread:get("refused"))
  print("mix-other: " .. thread:get("other") + errors.connect + errors.read + errors.write + errors.timeout)
  print("mix-refusals:" .. thread:get("refusals"))
  print("mix-p90: " .. latency:percentile(90) / 1000)
end
)";
}

}  // namespace

Result<MixedRound> run_wrk_mix(const WrkRun& run, const std::vector<MixedRequest>& mix,
                               const std::string& script) {
  std::ofstream(script) << lua_of(mix);
  WrkRun mixed = run;
  mixed.target = "/";
  mixed.headers.clear();
  mixed.script = script;
  FAIRWAY_TRY(const std::string text, wrk_output(mixed));
  MixedRound round{.per_second = number_after(text, "Requests/sec:"),
                   .p90_milliseconds = number_after(text, "mix-p90: "),
                   .ok = number_after(text, "mix-ok: "),
                   .refused = number_after(text, "mix-refused: "),
                   .other = number_after(text, "mix-other: ")};
  const std::size_t codes = text.find("mix-refusals:");
  if (round.other < 0 || codes == std::string::npos)
    return fail(ErrorCode::Unavailable, "wrk said something unexpected: " + text);
  const std::size_t start = codes + std::string_view("mix-refusals:").size();
  round.refusals = text.substr(start, text.find('\n', start) - start);
  return round;
}

Result<Round> run_wrk(const WrkRun& run) {
  const double before = cpu_seconds(run.server);
  FAIRWAY_TRY(const std::string text, wrk_output(run));
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
