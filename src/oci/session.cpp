#include "oci/session.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "oci/body.hpp"
#include "oci/navigation.hpp"

namespace fairway::oci {
namespace {

constexpr int kMostRedirects = 5;
constexpr int kUnauthorized = 401;

ErrorCode code_of(int status) {
  if (status == 401 || status == 403) return ErrorCode::Forbidden;
  if (status == 404) return ErrorCode::NotFound;
  if (status == 408 || status == 429 || status >= 500) return ErrorCode::Unavailable;
  return status >= 400 ? ErrorCode::Invalid : ErrorCode::Internal;
}

}  // namespace

Session::Session(http::Transport& transport, TimerClock& clock, RegistryOptions options)
    : transport_(transport),
      clock_(clock),
      options_(std::move(options)),
      authorizer_(transport, clock,
                  {options_.registry, options_.credentials, options_.retry, options_.request_timeout}) {}

std::string Session::place(const Ask& ask) const {
  return fmt::format("{} of {}/{}", ask.what, options_.registry.authority(), ask.repository);
}

Task<std::unique_ptr<http::ResponseStream>> Session::open(Ask ask) {
  auto stream = co_await with_retries(clock_, options_.retry, [&] { return open_once(ask); });
  if (!stream) co_return std::unexpected(std::move(stream.error()).within(place(ask)));
  co_return stream;
}

Task<Answer> Session::fetch(Ask ask, std::size_t most_bytes) {
  auto answer = co_await with_retries(clock_, options_.retry, [&] { return fetch_once(ask, most_bytes); });
  if (!answer) co_return std::unexpected(std::move(answer.error()).within(place(ask)));
  co_return answer;
}

Task<Answer> Session::fetch_once(Ask ask, std::size_t most_bytes) {
  FAIRWAY_CO_TRY(const auto stream, co_await open_once(std::move(ask)));
  FAIRWAY_CO_TRY(std::string body, co_await read_body(*stream, most_bytes, options_.read_timeout));
  co_return Answer{stream->status(), stream->headers(), std::move(body)};
}

Task<std::unique_ptr<http::ResponseStream>> Session::open_once(Ask ask) {
  FAIRWAY_CO_TRY(std::string authorization, co_await authorizer_.header_for(ask.repository));
  FAIRWAY_CO_TRY(Arrival arrival, co_await follow(ask, authorization));
  // Another host's 401 is no question to us: it got no credentials and will get none.
  if (arrival.stream->status() == kUnauthorized && arrival.url.origin() == ask.url.origin()) {
    FAIRWAY_CO_CHECKED(co_await read_complaint(*arrival.stream, options_.read_timeout));
    FAIRWAY_CO_TRY(authorization, co_await authorizer_.header_after(ask.repository, arrival.stream->headers(),
                                                                    std::move(authorization)));
    FAIRWAY_CO_TRY(arrival, co_await follow(ask, authorization));
  }
  const int status = arrival.stream->status();
  if (status >= 200 && status < 300) co_return std::move(arrival.stream);
  FAIRWAY_CO_TRY(const std::string complaint,
                 co_await read_complaint(*arrival.stream, options_.read_timeout));
  co_return std::unexpected(refusal(ask, arrival, complaint));
}

Task<Session::Arrival> Session::follow(Ask ask, std::string authorization) {
  http::Url url = ask.url;
  for (int redirects = 0;; ++redirects) {
    http::ClientRequest request{.url = url, .headers = ask.headers, .timeout = options_.request_timeout};
    if (!authorization.empty() && url.origin() == ask.url.origin())
      request.headers.add("Authorization", authorization);
    FAIRWAY_CO_TRY(auto stream, co_await knock(std::move(request)));
    if (!is_redirect(stream->status())) co_return Arrival{std::move(stream), std::move(url)};
    const auto location = stream->headers().find("location");
    if (!location)
      co_return fail(ErrorCode::Invalid,
                     fmt::format("{} redirects without saying where to", url.authority()));
    if (redirects == kMostRedirects) {
      co_return fail(ErrorCode::Invalid, fmt::format("more than {} redirects, the last one from {} to {}",
                                                     kMostRedirects, url.authority(), quoted(*location)));
    }
    FAIRWAY_CO_TRY(http::Url next, resolve(url, *location));
    if (ask.url.is_tls() && !next.is_tls()) {
      co_return fail(
          ErrorCode::Forbidden,
          fmt::format("{} redirects from TLS to plain HTTP, which is not followed", url.authority()));
    }
    FAIRWAY_CO_CHECKED(co_await read_complaint(*stream, options_.read_timeout));
    url = std::move(next);
    url.user_info.clear();
  }
}

Task<std::unique_ptr<http::ResponseStream>> Session::knock(http::ClientRequest request) {
  const http::Url url = request.url;
  auto stream = co_await transport_.open(std::move(request));
  if (!stream) co_return std::unexpected(explained(std::move(stream).error(), url));
  co_return stream;
}

// A transport knows only certificates that it may refuse, so that is what Forbidden means here.
Error Session::explained(Error error, const http::Url& url) const {
  if (error.code == ErrorCode::Forbidden) {
    error.message = fmt::format("{} does not prove that it is {}: {}; if it is right, {}", url.authority(),
                                quoted(url.host), error.message, options_.trust_hint);
  } else if (error.code == ErrorCode::Unavailable && !options_.registry.is_plain &&
             error.message.find("TLS handshake failed") != std::string::npos) {
    error.message +=
        fmt::format("; if {} is meant to be asked without TLS, write http:// before it", url.authority());
  }
  return error;
}

Error Session::refusal(const Ask& ask, const Arrival& arrival, const std::string& complaint) const {
  const int status = arrival.stream->status();
  std::string said = fmt::format("{} {}", status, http::reason_phrase(status));
  if (!complaint.empty()) said += ": " + quoted(complaint);
  const bool is_elsewhere = arrival.url.origin() != ask.url.origin();
  const std::string who =
      is_elsewhere ? fmt::format("{}, where {} redirects to,", arrival.url.authority(), ask.url.authority())
                   : std::string("the registry");
  Error error{code_of(status), fmt::format("{} answered {}", who, said)};
  if (is_elsewhere) {
    error.message += status == 401 || status == 403 ? "; it gets no credentials" : "";
  } else if (error.code == ErrorCode::Forbidden) {
    error.message =
        fmt::format("{} does not allow it with {} ({}): check them, and that they may pull from {}", who,
                    authorizer_.whose(ask.repository), said, quoted(ask.repository));
  } else if (status == 404) {
    error.message = fmt::format("{} does not have it ({}), or does not show it with {}: check the spelling",
                                who, said, authorizer_.whose(ask.repository));
  }
  error.retry_after = retry_after(arrival.stream->headers());
  return error;
}

}  // namespace fairway::oci
