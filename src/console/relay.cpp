#include "console/relay.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "console/pages.hpp"
#include "json/value.hpp"

namespace fairway::console {
namespace {

constexpr Duration kHeadTimeout = std::chrono::seconds(60);
// Between two pieces of an answer. A server that has nothing to tell ends a watch long before.
constexpr Duration kQuiet = std::chrono::hours(2);

// Passed on are only these: a list of what is kept back would miss what somebody invents tomorrow.
constexpr std::array<std::string_view, 7> kRequestHeaders{
    "Accept", "Accept-Encoding", "Authorization", "Content-Type", "If-None-Match", "User-Agent", "Range"};
constexpr std::array<std::string_view, 10> kAnswerHeaders{
    "Audit-Id",    "Cache-Control", "Content-Encoding", "Content-Type",    "ETag", "Last-Modified",
    "Retry-After", "Vary",          "Warning",          "WWW-Authenticate"};

template <std::size_t N>
http::Headers chosen(const http::Headers& from, const std::array<std::string_view, N>& names) {
  http::Headers kept;
  for (const auto& [name, value] : from) {
    if (std::ranges::any_of(names, [&](std::string_view each) { return equals_ignoring_case(each, name); }))
      kept.add(name, value);
  }
  return kept;
}

http::ClientRequest upstream_request(const Upstream& upstream, std::string target, http::Headers headers) {
  http::ClientRequest onward{.url = upstream.server, .headers = std::move(headers), .timeout = kHeadTimeout};
  std::string base = upstream.server.path;
  while (base.ends_with('/')) base.pop_back();
  onward.url.path = base + std::move(target);
  return onward;
}

std::string unreachable(const Upstream& upstream, const Error& error) {
  return fmt::format("{} cannot be reached at {}: {}", upstream.name, upstream.server.origin(),
                     error.describe());
}

}  // namespace

http::Headers forwarded_headers(const http::Headers& request) {
  return chosen(request, kRequestHeaders);
}

http::Headers returned_headers(const http::Headers& answer) {
  return chosen(answer, kAnswerHeaders);
}

http::Response problem(int status, std::string_view message) {
  http::Response response{.status = status, .headers = {{"Content-Type", "application/json"}}};
  add_safety_headers(response.headers);
  response.body = json::serialize(json::Object{{"kind", "Status"},
                                               {"apiVersion", "v1"},
                                               {"metadata", json::Object{}},
                                               {"status", "Failure"},
                                               {"message", message},
                                               {"code", status}});
  return response;
}

http::Response answer(const json::Object& document) {
  http::Response response{.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}};
  add_safety_headers(response.headers);
  response.body = json::serialize(document);
  return response;
}

Task<void> relay(const Upstream& upstream, std::string target, const http::Request& request,
                 http::ResponseWriter& writer) {
  auto onward = upstream_request(upstream, std::move(target), forwarded_headers(request.headers));
  onward.method = request.method;
  onward.body = request.body;
  auto answer = co_await upstream.transport->open(std::move(onward));
  if (!answer) co_return co_await writer.send(problem(502, unreachable(upstream, answer.error())));
  http::Response head{.status = (*answer)->status(), .headers = returned_headers((*answer)->headers())};
  add_safety_headers(head.headers);
  FAIRWAY_CO_CHECKED(co_await writer.start(std::move(head)));
  for (;;) {
    FAIRWAY_CO_TRY(std::string piece, co_await (*answer)->read(kQuiet));
    if (piece.empty()) break;
    FAIRWAY_CO_CHECKED(co_await writer.write(std::move(piece)));
  }
  co_return co_await writer.finish();
}

Task<http::Response> fetch(const Upstream& upstream, std::string target, const http::Headers& headers) {
  http::Headers asked = forwarded_headers(headers);
  asked.set("Accept", "application/json");
  asked.remove("Accept-Encoding");
  asked.remove("If-None-Match");
  asked.remove("Content-Type");
  auto answer =
      co_await upstream.transport->send(upstream_request(upstream, std::move(target), std::move(asked)));
  if (!answer) co_return problem(502, unreachable(upstream, answer.error()));
  co_return *std::move(answer);
}

}  // namespace fairway::console
