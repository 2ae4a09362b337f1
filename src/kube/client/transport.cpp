#include "kube/client/transport.hpp"

#include <algorithm>
#include <array>

#include "async/files.hpp"
#include "base/text.hpp"
#include "http/tls.hpp"
#include "json/value.hpp"

namespace fairway::kube {
namespace {

constexpr int kUnauthorized = 401;

void impersonate(const Impersonation& as, http::Headers& headers) {
  if (as.user.empty()) return;
  headers.set("Impersonate-User", as.user);
  if (!as.uid.empty()) headers.set("Impersonate-Uid", as.uid);
  for (const auto& group : as.groups) headers.add("Impersonate-Group", group);
  for (const auto& [name, values] : as.extra) {
    for (const auto& value : values) headers.add("Impersonate-Extra-" + percent_encode(name), value);
  }
}

bool changes_something(const http::ClientRequest& request) {
  constexpr std::array<std::string_view, 4> kWriting = {"POST", "PUT", "PATCH", "DELETE"};
  return std::ranges::find(kWriting, request.method) != kWriting.end();
}

// A server that is given DeleteOptions in the body does not look at the query.
void mark_delete_options(http::ClientRequest& request) {
  if (request.method != "DELETE" || request.body.empty()) return;
  auto options = json::parse_object(request.body);
  if (!options) return;
  (*options)["dryRun"] = json::Array{"All"};
  request.body = json::serialize(*options);
}

void mark_dry_run(http::ClientRequest& request) {
  if (!changes_something(request)) return;
  const bool has_query = request.url.path.contains('?');
  if (!request.url.path.contains("dryRun=All")) request.url.path += has_query ? "&dryRun=All" : "?dryRun=All";
  mark_delete_options(request);
}

Result<std::shared_ptr<http::TlsContext>> tls_context(const ClientConfig& config,
                                                      const std::string& authority,
                                                      const Credential& credential) {
  return http::make_client_context({.ca_pem = authority,
                                    .certificate_pem = credential.certificate_pem,
                                    .key_pem = credential.key_pem,
                                    .server_name = config.tls_server_name,
                                    .insecure = config.is_insecure});
}

}  // namespace

AuthTransport::AuthTransport(std::shared_ptr<http::Transport> next, std::unique_ptr<Credentials> credentials,
                             Impersonation impersonation, UseCertificate use_certificate)
    : next_(std::move(next)),
      credentials_(std::move(credentials)),
      impersonation_(std::move(impersonation)),
      use_certificate_(std::move(use_certificate)) {}

Task<CredentialPtr> AuthTransport::sign(http::ClientRequest& request) {
  FAIRWAY_CO_TRY(CredentialPtr credential, co_await credentials_->current());
  if (credential != in_use_) {
    const bool is_new = !in_use_ || in_use_->certificate_pem != credential->certificate_pem ||
                        in_use_->key_pem != credential->key_pem;
    if (is_new && use_certificate_) FAIRWAY_CO_CHECKED(use_certificate_(*credential));
    in_use_ = credential;
  }
  if (!credential->authorization.empty()) request.headers.set("Authorization", credential->authorization);
  impersonate(impersonation_, request.headers);
  co_return credential;
}

Task<http::Response> AuthTransport::send(http::ClientRequest request) {
  http::ClientRequest first = request;
  FAIRWAY_CO_TRY(const CredentialPtr credential, co_await sign(first));
  FAIRWAY_CO_TRY(http::Response response, co_await next_->send(std::move(first)));
  if (response.status != kUnauthorized || !credentials_->forget(credential)) co_return response;
  FAIRWAY_CO_TRY(const CredentialPtr renewed, co_await sign(request));
  if (*renewed == *credential) co_return response;
  co_return co_await next_->send(std::move(request));
}

Task<std::unique_ptr<http::ResponseStream>> AuthTransport::open(http::ClientRequest request) {
  http::ClientRequest first = request;
  FAIRWAY_CO_TRY(const CredentialPtr credential, co_await sign(first));
  FAIRWAY_CO_TRY(auto stream, co_await next_->open(std::move(first)));
  if (stream->status() != kUnauthorized || !credentials_->forget(credential)) co_return stream;
  FAIRWAY_CO_TRY(const CredentialPtr renewed, co_await sign(request));
  if (*renewed == *credential) co_return stream;
  co_return co_await next_->open(std::move(request));
}

Task<http::Response> DryRunTransport::send(http::ClientRequest request) {
  mark_dry_run(request);
  return next_->send(std::move(request));
}

Task<std::unique_ptr<http::ResponseStream>> DryRunTransport::open(http::ClientRequest request) {
  mark_dry_run(request);
  return next_->open(std::move(request));
}

Result<std::shared_ptr<http::Transport>> make_transport(boost::asio::any_io_executor executor,
                                                        TimerClock& clock, const ClientConfig& config,
                                                        RunCommand run) {
  std::string authority = config.authority.text;
  if (!config.authority.path.empty()) {
    auto text = read_file(config.authority.path);
    if (!text) return std::unexpected(std::move(text.error()).within("certificate-authority"));
    authority = *std::move(text);
  }
  // A controller writes many objects side by side, and every connection costs a handshake.
  http::ClientOptions options{.proxy = config.proxy, .max_idle_connections = 64};
  if (config.server.is_tls()) {
    // Without a client certificate yet: it is set before the first request, and bad settings are told of now.
    auto context = tls_context(config, authority, {});
    if (!context) {
      return std::unexpected(
          std::move(context.error()).within("TLS settings of the context " + quoted(config.name)));
    }
    options.tls = *std::move(context);
  }
  auto client = std::make_shared<http::Client>(std::move(executor), clock, std::move(options));
  AuthTransport::UseCertificate use_certificate;
  if (config.server.is_tls()) {
    use_certificate = [client, config, authority](const Credential& credential) -> Result<void> {
      if (credential.certificate_pem.empty()) return {};
      FAIRWAY_TRY(auto context, tls_context(config, authority, credential));
      client->set_tls(std::move(context));
      return {};
    };
  }
  auto credentials = std::make_unique<Credentials>(config, clock, std::move(run));
  return std::make_shared<AuthTransport>(std::move(client), std::move(credentials),
                                         config.authentication.impersonation, std::move(use_certificate));
}

}  // namespace fairway::kube
