// Decorators of http::Transport, and the transport that a ClientConfig asks for.
//
// Each adds one thing to every request that passes: AuthTransport who asks, DryRunTransport that nothing may
// be changed. Being on the seam they cannot be forgotten by any caller above.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "http/client.hpp"
#include "kube/client/client_config.hpp"
#include "kube/client/credentials.hpp"

namespace fairway::kube {

// Adds credentials and impersonation. When the server answers 401 and the credentials can be renewed, they
// are, and the request is sent once more: a server that does not know who asks has done nothing.
class AuthTransport final : public http::Transport {
 public:
  // Told of another client certificate before the first request that needs it.
  using UseCertificate = std::function<Result<void>(const Credential&)>;

  AuthTransport(std::shared_ptr<http::Transport> next, std::unique_ptr<Credentials> credentials,
                Impersonation impersonation = {}, UseCertificate use_certificate = {});

  Task<http::Response> send(http::ClientRequest request) override;
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override;

 private:
  Task<CredentialPtr> sign(http::ClientRequest& request);

  std::shared_ptr<http::Transport> next_;
  std::unique_ptr<Credentials> credentials_;
  Impersonation impersonation_;
  UseCertificate use_certificate_;
  CredentialPtr in_use_;
};

// Adds dryRun=All to whatever could change something.
class DryRunTransport final : public http::Transport {
 public:
  explicit DryRunTransport(std::shared_ptr<http::Transport> next) : next_(std::move(next)) {}

  Task<http::Response> send(http::ClientRequest request) override;
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override;

 private:
  std::shared_ptr<http::Transport> next_;
};

// Connections, TLS and credentials as the configuration says.
Result<std::shared_ptr<http::Transport>> make_transport(boost::asio::any_io_executor executor,
                                                        TimerClock& clock, const ClientConfig& config,
                                                        RunCommand run = {});

}  // namespace fairway::kube
