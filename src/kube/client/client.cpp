#include "kube/client/client.hpp"

#include <array>
#include <fmt/format.h>

#include "async/notify.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "kube/client/discovery.hpp"
#include "kube/core/status.hpp"

namespace fairway::kube {
namespace {

constexpr std::size_t kMaxAnswer = 256 * 1024 * 1024;
constexpr std::size_t kMaxErrorBody = 256 * 1024;
// Beyond the server's own end of a watch, for the last bytes to arrive.
constexpr Duration kWatchGrace = std::chrono::seconds(15);
constexpr Duration kDefaultReadTimeout = std::chrono::minutes(5);

void log_warnings(const ApiRequest& request, const http::Headers& headers) {
  for (std::string_view warning : headers.all("warning")) {
    log::warning("the API server warns", {{"request", request.method + " " + request.path_and_query},
                                          {"warning", std::string(warning)}});
  }
}

// The body of an answer that is no success, as far as it matters.
Task<std::string> read_error_body(http::ResponseStream& stream, Duration timeout) {
  std::string body;
  while (body.size() < kMaxErrorBody) {
    auto piece = co_await stream.read(timeout);
    if (!piece && piece.error().code == ErrorCode::Cancelled) co_return piece;
    if (!piece || piece->empty()) break;
    body += *piece;
  }
  co_return body;
}

WriteOptions with_manager(WriteOptions options, const std::string& manager) {
  if (options.field_manager.empty()) options.field_manager = manager;
  return options;
}

}  // namespace

struct Client::Metrics {
  explicit Metrics(metrics::Registry& registry)
      : requests(registry.counter("rest_client_requests_total",
                                  "Number of HTTP requests, partitioned by status code, method, and host.",
                                  {"code", "host", "method"})),
        duration(registry.histogram("rest_client_request_duration_seconds",
                                    "Request latency in seconds. Broken down by verb, and host.",
                                    {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60},
                                    {"host", "verb"})),
        throttled(registry.histogram("rest_client_rate_limiter_duration_seconds",
                                     "Client side rate limiter latency in seconds. Broken down by host.",
                                     {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}, {"host"})) {}

  metrics::Family<metrics::Counter>& requests;
  metrics::Family<metrics::Histogram>& duration;
  metrics::Family<metrics::Histogram>& throttled;
};

Client::Client(std::shared_ptr<http::Transport> transport, TimerClock& clock, http::Url server,
               ClientOptions options)
    : transport_(std::move(transport)),
      clock_(clock),
      server_(std::move(server)),
      options_(std::move(options)),
      bucket_(options_.requests_per_second, options_.burst),
      random_(options_.seed),
      metrics_(options_.metrics != nullptr ? std::make_unique<Metrics>(*options_.metrics) : nullptr),
      discovery_(std::make_unique<Discovery>(*this)) {
  while (server_.path.ends_with('/')) server_.path.pop_back();
}

Client::~Client() = default;

http::ClientRequest Client::http_request(const ApiRequest& request) const {
  http::ClientRequest out{
      .method = request.method, .url = server_, .body = request.body, .timeout = options_.timeout};
  out.url.path = server_.path + request.path_and_query;
  out.headers.add("Accept", request.accept);
  out.headers.add("User-Agent", options_.user_agent);
  if (!request.content_type.empty()) out.headers.add("Content-Type", request.content_type);
  return out;
}

Task<void> Client::throttle() {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  if (options_.requests_per_second <= 0) co_return Result<void>{};
  const Duration wait = bucket_.reserve(clock_.steady());
  if (metrics_) {
    metrics_->throttled.with({server_.authority()}).observe(std::chrono::duration<double>(wait).count());
  }
  if (wait <= Duration::zero()) co_return Result<void>{};
  auto waited = co_await async::sleep_for(clock_, wait);
  if (!waited) bucket_.restore();
  co_return waited;
}

void Client::count(const ApiRequest& request, std::string code, SteadyTime started) {
  if (!metrics_) return;
  metrics_->requests.with({std::move(code), server_.authority(), request.method}).add();
  metrics_->duration.with({server_.authority(), request.method})
      .observe(std::chrono::duration<double>(clock_.steady() - started).count());
}

Error Client::failure(const ApiRequest& request, int status, const http::Headers& headers,
                      std::string_view body) const {
  Error error = error_of_response(status, body, request.method == "POST");
  if (const auto asked = retry_after(headers); asked && !error.retry_after) {
    error.retry_after = std::chrono::duration_cast<std::chrono::milliseconds>(*asked);
  }
  const std::string path = request.path_and_query.substr(0, request.path_and_query.find('?'));
  return std::move(error).within(request.method + " " + server_.path + path);
}

Task<http::Response> Client::exchange(ApiRequest request) {
  for (int failures = 1;; ++failures) {
    FAIRWAY_CO_CHECKED(co_await throttle());
    const SteadyTime started = clock_.steady();
    auto outcome = co_await transport_->send(http_request(request));
    count(request, outcome ? std::to_string(outcome->status) : "<error>", started);
    const auto pause = pause_before_retry(options_.retry, request.method, outcome, failures, random_);
    if (!pause) {
      if (!outcome)
        co_return std::unexpected(
            std::move(outcome.error()).within(request.method + " " + request.path_and_query));
      log_warnings(request, outcome->headers);
      co_return outcome;
    }
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock_, *pause));
  }
}

Task<std::string> Client::call_text(ApiRequest request) {
  FAIRWAY_CO_TRY(http::Response response, co_await exchange(request));
  std::string body = response.body.to_string();
  if (response.status >= 300)
    co_return std::unexpected(failure(request, response.status, response.headers, body));
  co_return body;
}

Task<json::Object> Client::call(ApiRequest request) {
  static constexpr std::array<std::string_view, 3> kManagedFields{"items", "metadata", "managedFields"};
  json::ParseLimits limits{.max_bytes = kMaxAnswer};
  if (request.managed_fields == ManagedFields::LeftOut) limits.left_out = kManagedFields;
  const bool is_read = request.is_answer_read;
  const std::string what = request.method + " " + request.path_and_query;
  FAIRWAY_CO_TRY(const std::string body, co_await call_text(std::move(request)));
  if (!is_read) co_return json::Object{};
  auto object = json::parse_object(body, limits);
  if (!object) {
    co_return std::unexpected(
        Error{ErrorCode::Internal, "the answer is not a JSON object: " + object.error().message}.within(
            what));
  }
  co_return object;
}

Task<json::Object> Client::send(Result<ApiRequest> request) {
  if (!request) co_return std::unexpected(std::move(request.error()));
  co_return co_await call(*std::move(request));
}

Task<json::Object> Client::get(Resource resource, GetOptions options) {
  return send(get_request(resource, options));
}

Task<json::Object> Client::create(Resource resource, json::Object object, WriteOptions options) {
  return send(create_request(resource, object, with_manager(std::move(options), options_.field_manager)));
}

Task<json::Object> Client::update(Resource resource, json::Object object, WriteOptions options) {
  return send(update_request(resource, object, with_manager(std::move(options), options_.field_manager)));
}

Task<json::Object> Client::update_status(Resource resource, json::Object object, WriteOptions options) {
  resource.subresource = "status";
  return update(std::move(resource), std::move(object), std::move(options));
}

Task<json::Object> Client::patch(Resource resource, PatchKind kind, json::Value patch, PatchOptions options) {
  if (options.field_manager.empty()) options.field_manager = options_.field_manager;
  return send(patch_request(resource, kind, patch, options));
}

Task<json::Object> Client::apply(Resource resource, json::Object object, ApplyOptions options) {
  if (options.field_manager.empty()) options.field_manager = options_.field_manager;
  return send(
      apply_request(resource, object, std::move(options.field_manager), options.force, options.dry_run));
}

Task<json::Object> Client::remove(Resource resource, DeleteOptions options) {
  return send(delete_request(resource, options));
}

Task<json::Object> Client::remove_collection(Resource resource, DeleteOptions options, ListOptions chosen) {
  return send(delete_collection_request(resource, options, chosen));
}

Task<std::unique_ptr<WatchStream>> Client::watch(Resource resource, WatchOptions options) {
  const Duration read_timeout = options.timeout ? *options.timeout + kWatchGrace : kDefaultReadTimeout;
  FAIRWAY_CO_TRY(ApiRequest request, watch_request(resource, options));
  FAIRWAY_CO_CHECKED(co_await throttle());
  const SteadyTime started = clock_.steady();
  auto opened = co_await transport_->open(http_request(request));
  count(request, opened ? std::to_string((*opened)->status()) : "<error>", started);
  if (!opened)
    co_return std::unexpected(std::move(opened.error()).within("watching " + request.path_and_query));
  auto stream = *std::move(opened);
  if (stream->status() != 200) {
    FAIRWAY_CO_TRY(const std::string body, co_await read_error_body(*stream, options_.timeout));
    co_return std::unexpected(failure(request, stream->status(), stream->headers(), body));
  }
  log_warnings(request, stream->headers());
  co_return std::make_unique<WatchStream>(std::move(stream), read_timeout,
                                          WatchDecoder(WatchDecoder::kMaxLine, options.managed_fields));
}

Task<Resource> Client::locate(json::Object object, std::string default_namespace) {
  FAIRWAY_CO_TRY(const GroupVersionKind kind, gvk_of(object));
  FAIRWAY_CO_TRY(const ResourceType type, co_await discovery_->find(kind));
  std::string ns(namespace_of(object));
  if (ns.empty()) ns = std::move(default_namespace);
  co_return type.in(std::move(ns), std::string(name_of(object)));
}

}  // namespace fairway::kube
