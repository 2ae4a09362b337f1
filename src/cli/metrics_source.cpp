#include "cli/metrics_source.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <optional>

#include "async/event_loop.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/promql_sources.hpp"
#include "http/client.hpp"
#include "promql/exposition.hpp"

namespace fairway::cli {
namespace {

Task<http::Response> ask(http::Transport& transport, http::Url url) {
  http::ClientRequest request{.url = std::move(url)};
  request.headers.set("Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5");
  co_return co_await transport.send(std::move(request));
}

Result<std::string> fetch(const std::string& place) {
  FAIRWAY_TRY(http::Url url, http::Url::parse(place));
  http::ClientOptions options;
  if (url.is_tls()) {
    FAIRWAY_TRY(options.tls, http::make_client_context({}));
  }
  async::EventLoop loop;
  http::Client client(loop.executor(), loop.clock(), std::move(options));
  FAIRWAY_TRY(http::Response response, loop.block_on(ask(client, std::move(url))));
  if (response.status != 200) {
    return fail(ErrorCode::Unavailable, fmt::format("expected metrics, found HTTP status {} {}",
                                                    response.status, http::reason_phrase(response.status)));
  }
  return response.body.to_string();
}

Result<std::string> read_place(const std::string& place) {
  if (place == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (http::is_url(place)) return fetch(place);
  return read_file(place);
}

Error while_reading(Error error, const std::string& place) {
  return std::move(error).within(fmt::format("while reading {}", quoted(place)));
}

Result<promql::Exposition> read_exposition_of(const std::string& place) {
  auto text = read_place(place);
  if (!text) return std::unexpected(while_reading(std::move(text).error(), place));
  auto exposition = promql::read_exposition(*text);
  if (!exposition) return std::unexpected(while_reading(std::move(exposition).error(), place));
  return exposition;
}

}  // namespace

Result<promql::Millis> parse_time(const std::string& text) {
  if (const auto seconds = promql::parse_value(text); seconds && std::abs(*seconds) < 1e12) {
    return std::llround(*seconds * 1000);
  }
  if (const auto time = parse_rfc3339(text)) {
    return std::chrono::floor<std::chrono::milliseconds>(time->time_since_epoch()).count();
  }
  return fail(
      ErrorCode::Invalid,
      fmt::format("expected a time such as 2024-02-29T12:00:00Z or 1709208000, found {}", quoted(text)));
}

Result<LoadedMetrics> load_metrics(const std::vector<std::string>& places, const std::string& at) {
  std::vector<promql::Exposition> expositions;
  std::optional<promql::Millis> newest;
  for (const std::string& place : places) {
    FAIRWAY_TRY(promql::Exposition exposition, read_exposition_of(place));
    if (exposition.newest) newest = std::max(newest.value_or(*exposition.newest), *exposition.newest);
    expositions.push_back(std::move(exposition));
  }
  LoadedMetrics loaded;
  const auto now = SystemClock().now().time_since_epoch();
  loaded.now = newest.value_or(std::chrono::floor<std::chrono::milliseconds>(now).count());
  if (!at.empty()) {
    FAIRWAY_TRY(loaded.now, parse_time(at));
  }
  for (std::size_t i = 0; i < expositions.size(); ++i) {
    const auto stored = promql::store_exposition(expositions[i], loaded.now, loaded.store);
    if (!stored) return std::unexpected(while_reading(stored.error(), places[i]));
  }
  return loaded;
}

}  // namespace fairway::cli
