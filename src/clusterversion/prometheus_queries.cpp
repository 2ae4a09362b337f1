#include "clusterversion/prometheus_queries.hpp"

#include <fmt/format.h>

#include "async/deadline.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "clusterversion/query_answer.hpp"
#include "http/credential_files.hpp"

namespace fairway::clusterversion {
namespace {

// One number is all that a verdict needs; a server that sends more is not to fill our memory.
constexpr std::size_t kMostAnswerBytes = 4 * 1024 * 1024;

QueryOutcome set_up_failed(std::string_view what, const Error& error) {
  return std::unexpected(QueryFailure{fmt::format("creating PromQL {}: {}", what, error.describe()), false});
}

}  // namespace

http::Url query_url(http::Url base, std::string_view query, WallTime at) {
  while (base.path.ends_with('/')) base.path.pop_back();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  base.path += fmt::format("/api/v1/query?query={}&time={}.{:03}", percent_encode(query), milliseconds / 1000,
                           milliseconds % 1000);
  return base;
}

PrometheusQueries::PrometheusQueries(PrometheusAccess access, boost::asio::any_io_executor executor,
                                     TimerClock& clock)
    : access_(std::move(access)), executor_(std::move(executor)), clock_(clock) {}

Result<std::unique_ptr<http::Client>> PrometheusQueries::client_for(const http::Url& base) const {
  http::ClientOptions options{.max_body_bytes = kMostAnswerBytes};
  FAIRWAY_TRY(options.tls, http::tls_for(base, access_.ca_file));
  return std::make_unique<http::Client>(executor_, clock_, std::move(options));
}

Result<http::ClientRequest> PrometheusQueries::request_for(const http::Url& base,
                                                           const std::string& query) const {
  http::ClientRequest request{.url = query_url(base, query, clock_.now()),
                              .headers = {{"Accept", "application/json"}},
                              .timeout = access_.timeout};
  FAIRWAY_CHECKED(http::add_bearer_token(request.headers, access_.token_file));
  return request;
}

Task<QueryOutcome> PrometheusQueries::ask_one(http::Url base, std::string query) {
  const auto client = client_for(base);
  if (!client) co_return set_up_failed("round-tripper", client.error());
  auto request = request_for(base, query);
  if (!request) co_return set_up_failed("client", request.error());
  const std::string url = request->url.origin() + request->url.path;
  auto answer = co_await async::with_deadline(clock_, clock_.steady() + access_.timeout,
                                              (*client)->send(*std::move(request)));
  if (answer) co_return read_query_answer(answer->status, answer->body.to_string());
  if (answer.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(answer).error());
  const bool is_late = answer.error().code == ErrorCode::Timeout;
  co_return QueryOutcome(std::unexpect,
                         unreachable(url, is_late ? "context deadline exceeded" : answer.error().describe()));
}

Task<QueryOutcome> PrometheusQueries::ask(std::string query) {
  QueryOutcome last = std::unexpected(QueryFailure{"no Prometheus is configured", false});
  for (const http::Url& url : access_.urls) {
    FAIRWAY_CO_TRY(last, co_await ask_one(url, query));
    if (last || last.error().was_judged) break;
    log::warning("a Prometheus gave no verdict", {{"url", url.origin()}, {"error", last.error().why}});
  }
  co_return last;
}

}  // namespace fairway::clusterversion
