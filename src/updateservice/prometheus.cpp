#include "updateservice/prometheus.hpp"

#include <fmt/format.h>

#include "async/deadline.hpp"
#include "base/text.hpp"
#include "http/credential_files.hpp"
#include "json/value.hpp"
#include "updateservice/query_result.hpp"

namespace fairway::updateservice {
namespace {

constexpr std::size_t kMostErrorBytes = 64 * 1024;
constexpr std::string_view kPath = "/api/v1/query";

// What a refusal says: Prometheus' own words where it is Prometheus that speaks.
std::string words_of(const std::string& body) {
  const auto answer = json::parse_object(body);
  if (answer) {
    if (const auto error = json::get_string(*answer, {"error"})) return std::string(*error);
  }
  return std::string(trim(std::string_view(body).substr(0, 200)));
}

}  // namespace

Prometheus::Prometheus(PrometheusSettings settings, http::Transport& transport, TimerClock& clock,
                       async::WorkerPool& pool)
    : settings_(std::move(settings)), transport_(transport), clock_(clock), pool_(pool) {}

Result<http::ClientRequest> Prometheus::request_for(const std::string& query) const {
  http::Query form;
  form.add("query", query);
  http::ClientRequest request{
      .method = "POST",
      .url = settings_.url,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}},
      .body = form.to_string(),
      .timeout = settings_.timeout,
      .is_repeatable = true};
  while (request.url.path.ends_with('/')) request.url.path.pop_back();
  request.url.path += kPath;
  FAIRWAY_CHECKED(http::add_bearer_token(request.headers, settings_.token_file));
  return request;
}

Task<ClusterIds> Prometheus::ask(std::string query) {
  auto answer = co_await async::with_deadline(clock_, clock_.steady() + settings_.timeout,
                                              ask_without_deadline(std::move(query)));
  if (!answer) {
    co_return std::unexpected(std::move(answer).error().within(
        fmt::format("while asking Prometheus at {}", settings_.url.origin())));
  }
  co_return answer;
}

Task<ClusterIds> Prometheus::ask_without_deadline(std::string query) {
  FAIRWAY_CO_TRY(http::ClientRequest request, request_for(query));
  FAIRWAY_CO_TRY(const auto stream, co_await transport_.open(std::move(request)));
  const int status = stream->status();
  QueryResultReader reader;
  std::string refusal;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream->read(settings_.timeout));
    if (piece.empty()) break;
    if (status == 200) {
      FAIRWAY_CO_CHECKED(reader.feed(piece));
    } else if (refusal.size() < kMostErrorBytes) {
      refusal += piece;
    }
  }
  if (status != 200) {
    const ErrorCode code = status == 401 || status == 403 ? ErrorCode::Forbidden : ErrorCode::Unavailable;
    co_return fail(code, fmt::format("status {}: {}{}", status, words_of(refusal),
                                     code == ErrorCode::Forbidden ? " (see --prometheus-token-file)" : ""));
  }
  FAIRWAY_CO_TRY(QueryResult result, reader.finish());
  ClusterIds answer{.without_id = result.without_id,
                    .with_other_value = result.with_other_value,
                    .warnings = result.warnings};
  auto builder = std::make_shared<IdSet::Builder>(std::move(result.ids));
  answer.ids = co_await pool_.run([builder] { return std::move(*builder).build(); });
  co_return answer;
}

}  // namespace fairway::updateservice
