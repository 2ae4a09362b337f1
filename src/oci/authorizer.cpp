#include "oci/authorizer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/value.hpp"
#include "oci/body.hpp"
#include "oci/challenge.hpp"

namespace fairway::oci {
namespace {

constexpr std::size_t kMostTokenBytes = 256 * 1024;
// What the token specification prescribes when the answer names no lifetime.
constexpr Duration kUsualLifetime = std::chrono::seconds(60);
constexpr Duration kLongestLifetime = std::chrono::hours(1);
// A token that expires on its way is refused; this much earlier a new one is fetched.
constexpr Duration kSlack = std::chrono::seconds(10);

std::string basic_header(const Credential& credential) {
  return "Basic " + encode_base64(credential.username + ":" + credential.password);
}

bool is_token_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

Authorizer::Authorizer(http::Transport& transport, TimerClock& clock, Settings settings)
    : transport_(transport), clock_(clock), settings_(std::move(settings)) {}

const Credential* Authorizer::credential_for(std::string_view repository) const {
  return settings_.credentials.find(settings_.registry.authority(), repository);
}

std::string Authorizer::whose(std::string_view repository) const {
  const Credential* credential = credential_for(repository);
  return credential == nullptr ? "no credentials"
                               : fmt::format("the credentials of entry {}", quoted(credential->entry));
}

Task<std::string> Authorizer::header_for(std::string repository) {
  if (bearer_) {
    FAIRWAY_CO_TRY(const std::string token, co_await token_for(std::move(repository), *bearer_, {}));
    co_return "Bearer " + token;
  }
  const Credential* credential = credential_for(repository);
  if (!asks_for_basic_ || credential == nullptr || credential->username.empty()) co_return std::string();
  co_return basic_header(*credential);
}

Task<std::string> Authorizer::header_after(std::string repository, http::Headers headers,
                                           std::string rejected) {
  FAIRWAY_CO_TRY(const std::vector<Challenge> challenges,
                 parse_challenges(headers.joined("www-authenticate")));
  if (const Challenge* bearer = find_challenge(challenges, "bearer")) {
    FAIRWAY_CO_TRY(bearer_, read_bearer(*bearer));
    const std::string old = rejected.starts_with("Bearer ") ? rejected.substr(7) : std::string();
    FAIRWAY_CO_TRY(const std::string token, co_await token_for(std::move(repository), *bearer_, old));
    co_return "Bearer " + token;
  }
  if (find_challenge(challenges, "basic") == nullptr) {
    co_return fail(
        ErrorCode::Unsupported,
        fmt::format("the registry asks for authentication by {}, and only Bearer and Basic are spoken here",
                    challenges.empty() ? "nothing that it names" : quoted(challenges.front().scheme)));
  }
  asks_for_basic_ = true;
  bearer_.reset();
  const Credential* credential = credential_for(repository);
  if (credential == nullptr || credential->username.empty()) {
    co_return fail(
        ErrorCode::Forbidden,
        fmt::format("the registry asks for a user name and a password, and there is none for {}/{}: add an "
                    "entry for {} to the credentials",
                    settings_.registry.authority(), repository, quoted(settings_.registry.authority())));
  }
  std::string header = basic_header(*credential);
  if (header == rejected) {
    co_return fail(
        ErrorCode::Forbidden,
        fmt::format("the registry refused {} (401): check its user name and password", whose(repository)));
  }
  co_return header;
}

Result<Authorizer::Bearer> Authorizer::read_bearer(const Challenge& challenge) const {
  const auto realm = challenge.get("realm");
  if (!realm)
    return fail(ErrorCode::Invalid, "expected a realm in the registry's Bearer challenge, found none");
  FAIRWAY_TRY(http::Url url, http::Url::parse(*realm));
  if (!url.is_tls() && !settings_.registry.is_plain) {
    return fail(ErrorCode::Forbidden,
                fmt::format("the registry names a token service without TLS, {}: no secret is sent there",
                            quoted(*realm)));
  }
  if (!url.user_info.empty())
    return fail(ErrorCode::Invalid,
                "expected a realm without a user name in the registry's Bearer challenge");
  return Bearer{std::move(url), std::string(challenge.get("service").value_or(""))};
}

Task<std::string> Authorizer::token_for(std::string repository, Bearer from, std::string rejected) {
  for (;;) {
    Token& token = tokens_[repository];  // a map's elements stay where they are
    if (!token.text.empty() && token.text != rejected && clock_.steady() < token.good_until)
      co_return token.text;
    if (const auto flight = token.flight) {
      FAIRWAY_CO_CHECKED(co_await flight->ended.wait());
      if (flight->failure && flight->failure->code != ErrorCode::Cancelled)
        co_return std::unexpected(*flight->failure);
      continue;
    }
    const auto flight = std::make_shared<Flight>();
    token.flight = flight;
    auto grant = co_await fetch_token(repository, from);
    token.flight.reset();
    if (grant) {
      token.text = grant->token;
      token.good_until = clock_.steady() + grant->lifetime - kSlack;
    } else {
      flight->failure = grant.error();
    }
    flight->ended.notify();
    if (!grant) co_return std::unexpected(std::move(grant).error());
    co_return grant->token;
  }
}

http::ClientRequest Authorizer::token_request(const std::string& repository, const Bearer& from) const {
  const Credential* credential = credential_for(repository);
  http::Query query;
  if (!from.service.empty()) query.add("service", from.service);
  query.add("scope", fmt::format("repository:{}:pull", repository));
  http::ClientRequest request{.url = from.realm, .timeout = settings_.timeout};
  request.headers.add("Accept", "application/json");
  if (credential != nullptr && !credential->identity_token.empty()) {
    query.add("grant_type", "refresh_token");
    query.add("client_id", "fairway");
    query.add("refresh_token", credential->identity_token);
    request.method = "POST";
    request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    request.body = query.to_string();
    return request;
  }
  if (credential != nullptr) request.headers.add("Authorization", basic_header(*credential));
  request.url.path += (request.url.path.find('?') == std::string::npos ? "?" : "&") + query.to_string();
  return request;
}

Task<Authorizer::Grant> Authorizer::fetch_token(std::string repository, Bearer from) {
  auto grant =
      co_await with_retries(clock_, settings_.retry, [&] { return fetch_token_once(repository, from); });
  if (!grant)
    co_return std::unexpected(
        std::move(grant.error()).within(fmt::format("token service {}", from.realm.origin())));
  co_return grant;
}

Task<Authorizer::Grant> Authorizer::fetch_token_once(std::string repository, Bearer from) {
  FAIRWAY_CO_TRY(const auto answer, co_await transport_.open(token_request(repository, from)));
  const int status = answer->status();
  if (status != 200) {
    FAIRWAY_CO_TRY(const std::string complaint, co_await read_complaint(*answer, settings_.timeout));
    const bool is_refused = status == 400 || status == 401 || status == 403;
    const bool is_overload = status == 429 || status >= 500;
    Error error{
        is_refused    ? ErrorCode::Forbidden
        : is_overload ? ErrorCode::Unavailable
                      : ErrorCode::Invalid,
        fmt::format("it gave no token to pull from {} to {} ({} {}{})", quoted(repository), whose(repository),
                    status, http::reason_phrase(status), complaint.empty() ? "" : ": " + quoted(complaint))};
    error.retry_after = retry_after(answer->headers());
    co_return std::unexpected(std::move(error));
  }
  FAIRWAY_CO_TRY(const std::string body, co_await read_body(*answer, kMostTokenBytes, settings_.timeout));
  const auto object = json::parse_object(body, {.max_depth = 32, .max_bytes = kMostTokenBytes});
  // The body holds a secret, so nothing of it goes into the message.
  if (!object) co_return fail(ErrorCode::Invalid, "expected a token as a JSON object, found something else");
  const auto token = json::get_string(*object, {"token"});
  const auto access = json::get_string(*object, {"access_token"});
  const std::string_view text = token && !token->empty() ? *token : access.value_or("");
  if (!is_token_text(text))
    co_return fail(ErrorCode::Invalid, "expected \"token\" in the answer, found none");
  const auto seconds = json::get_int(*object, {"expires_in"});
  const Duration lifetime =
      seconds && *seconds > 0
          ? std::min<Duration>(std::chrono::seconds(std::min<std::int64_t>(*seconds, 86'400)),
                               kLongestLifetime)
          : kUsualLifetime;
  co_return Grant{std::string(text), lifetime};
}

}  // namespace fairway::oci
