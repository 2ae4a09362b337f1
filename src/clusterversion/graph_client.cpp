#include "clusterversion/graph_client.hpp"

#include <fmt/format.h>

#include "async/deadline.hpp"
#include "base/text.hpp"
#include "clusterversion/proxy_choice.hpp"

namespace fairway::clusterversion {
namespace {

constexpr int kMostRedirects = 10;

const kube::Resource kProxy{{"config.openshift.io", "v1", "proxies"}, "", "cluster", ""};
const kube::Resource kTrustedBundle{
    {"", "v1", "configmaps"}, "openshift-config-managed", "trusted-ca-bundle", ""};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// Where a Location leads from a URL: absolute, from the host's root, beside it, or with another query.
std::string resolve(const http::Url& from, std::string_view location) {
  const std::size_t scheme = location.find("://");
  if (scheme != std::string_view::npos && scheme < location.find_first_of("/?#"))
    return std::string(location);
  if (location.starts_with("//")) return fmt::format("{}:{}", from.scheme, location);
  if (location.starts_with('/')) return from.origin() + std::string(location);
  const std::string path = from.path.substr(0, from.path.find('?'));
  if (location.starts_with('?')) return from.origin() + path + std::string(location);
  return from.origin() + path.substr(0, path.rfind('/') + 1) + std::string(location);
}

}  // namespace

GraphClient::GraphClient(GraphClientSettings settings, boost::asio::any_io_executor executor,
                         kube::Client& cluster, async::WorkerPool& pool)
    : settings_(std::move(settings)), executor_(std::move(executor)), cluster_(cluster), pool_(pool) {}

Task<std::string> GraphClient::trusted_authorities() {
  const auto bundle = co_await cluster_.get(kTrustedBundle);
  if (!bundle) {
    if (bundle.error().code == ErrorCode::NotFound) co_return std::string();
    co_return std::unexpected(bundle.error());
  }
  co_return std::string(json::get_string(*bundle, {"data", "ca-bundle.crt"}).value_or(""));
}

Task<http::ClientOptions> GraphClient::options_for(http::Url url) {
  http::ClientOptions options{.max_body_bytes = settings_.most_bytes,
                              .connect_timeout = settings_.connect_timeout,
                              .user_agent = settings_.user_agent};
  const auto proxy = co_await cluster_.get(kProxy);
  if (!proxy && proxy.error().code != ErrorCode::NotFound) co_return std::unexpected(proxy.error());
  if (proxy) {
    FAIRWAY_CO_TRY(options.proxy, proxy_for(url, proxy_settings(*proxy)));
  }
  if (url.is_tls()) {
    FAIRWAY_CO_TRY(const std::string authorities, co_await trusted_authorities());
    auto context = http::make_client_context({.ca_pem = authorities});
    if (!context) co_return fail(ErrorCode::Invalid, "unable to add ca-bundle.crt certificates");
    options.tls = *std::move(context);
  }
  co_return options;
}

Task<http::Response> GraphClient::send_once(http::Url url) {
  FAIRWAY_CO_TRY(http::ClientOptions options, co_await options_for(url));
  http::Client client(executor_, cluster_.clock(), std::move(options));
  co_return co_await client.send(
      {.url = std::move(url), .headers = {{"Accept", "application/json"}}, .timeout = settings_.timeout});
}

Task<http::Response> GraphClient::send(std::string url) {
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    FAIRWAY_CO_TRY(const http::Url parsed, http::Url::parse(url));
    FAIRWAY_CO_TRY(http::Response answer, co_await send_once(parsed));
    const auto location = answer.headers.find("Location");
    if (!is_redirect(answer.status) || !location) co_return answer;
    url = resolve(parsed, *location);
  }
  co_return fail(ErrorCode::Unavailable, fmt::format("stopped after {} redirects", kMostRedirects));
}

Task<GraphOutcome> GraphClient::fetch(GraphRequest request) {
  TimerClock& clock = cluster_.clock();
  auto answer = co_await async::with_deadline(clock, clock.steady() + settings_.timeout, send(request.url));
  if (!answer) {
    if (answer.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(answer).error());
    co_return GraphOutcome(std::unexpect,
                           cannot_retrieve("RemoteFailed", fmt::format("Get {}: {}", quoted(request.url),
                                                                       answer.error().describe())));
  }
  if (answer->status != 200) {
    co_return GraphOutcome(
        std::unexpect,
        cannot_retrieve("ResponseFailed", fmt::format("unexpected HTTP status: {} {}", answer->status,
                                                      http::reason_phrase(answer->status))));
  }
  const GraphQuestion question = request.question;
  auto body = std::make_shared<std::string>(answer->body.to_string());
  co_return co_await pool_.run(
      [body, question]() -> Result<GraphOutcome> { return read_graph_answer(*body, question); });
}

}  // namespace fairway::clusterversion
