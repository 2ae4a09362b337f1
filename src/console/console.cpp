#include "console/console.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::console {
namespace {

constexpr std::string_view kClusters = "/clusters/";
constexpr std::string_view kUpdates = "/updates/";

// As much as the pages need: nothing that replaces or deletes.
bool is_method_for_clusters(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "POST" || method == "PATCH";
}

bool is_reading(std::string_view method) {
  return method == "GET" || method == "HEAD";
}

http::Response not_allowed(std::string_view allowed) {
  http::Response refusal = problem(405, fmt::format("only {} are answered here", allowed));
  refusal.headers.set("Allow", std::string(allowed));
  return refusal;
}

}  // namespace

Console::Console(ConsoleSettings settings, async::WorkerPool& pool)
    : settings_(std::move(settings)), pool_(pool) {}

const ConsoleCluster* Console::find_cluster(std::string_view name) const {
  const auto found = std::ranges::find(settings_.clusters, name, &ConsoleCluster::name);
  return found == settings_.clusters.end() ? nullptr : &*found;
}

http::Response Console::describe() const {
  json::Array clusters;
  for (const ConsoleCluster& each : settings_.clusters) {
    clusters.push_back(json::Object{
        {"name", each.name}, {"isHub", each.is_hub}, {"hasMetrics", static_cast<bool>(each.explain)}});
  }
  return answer(json::Object{{"version", settings_.version},
                             {"updateService", settings_.updates.has_value()},
                             {"clusters", std::move(clusters)}});
}

Task<void> Console::serve(const http::Request& request, http::ResponseWriter& writer) {
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.starts_with(kClusters))
    co_return co_await serve_cluster(request, target.substr(kClusters.size()), writer);
  if (path.starts_with(kUpdates))
    co_return co_await serve_updates(request, target.substr(kUpdates.size() - 1), writer);
  if (path == "/what-if") {
    if (request.method != "POST") co_return co_await writer.send(not_allowed("POST"));
    FAIRWAY_CO_TRY(http::Response impact, co_await what_if(request));
    co_return co_await writer.send(std::move(impact));
  }
  if (!is_reading(request.method)) co_return co_await writer.send(not_allowed("GET, HEAD"));
  if (path == "/why") {
    FAIRWAY_CO_TRY(http::Response reason, co_await why(request));
    co_return co_await writer.send(std::move(reason));
  }
  if (path == "/console.json") co_return co_await writer.send(describe());
  co_return co_await writer.send(serve_page(settings_.pages, request, path));
}

// `rest` is NAME/…
Task<void> Console::serve_cluster(const http::Request& request, std::string_view rest,
                                  http::ResponseWriter& writer) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view name = rest.substr(0, slash);
  const ConsoleCluster* cluster = find_cluster(name);
  if (cluster == nullptr)
    co_return co_await writer.send(
        problem(404, fmt::format("the console knows no cluster {}", quoted(name))));
  if (!is_method_for_clusters(request.method))
    co_return co_await writer.send(not_allowed("GET, HEAD, POST, PATCH"));
  if (!request.headers.find("Authorization"))
    co_return co_await writer.send(problem(401, "a token is needed: sign in"));
  co_return co_await relay(cluster->api, std::string(rest.substr(slash)), request, writer);
}

Task<void> Console::serve_updates(const http::Request& request, std::string_view rest,
                                  http::ResponseWriter& writer) {
  if (!settings_.updates)
    co_return co_await writer.send(problem(404, "there is no update service behind this console"));
  if (!is_reading(request.method)) co_return co_await writer.send(not_allowed("GET, HEAD"));
  co_return co_await relay(*settings_.updates, std::string(rest), request, writer);
}

}  // namespace fairway::console
