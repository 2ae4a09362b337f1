#include "oci/registry_access.hpp"

#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"
#include "http/credential_files.hpp"

namespace fairway::oci {

RegistryAccess::RegistryAccess(RegistrySettings settings, boost::asio::any_io_executor executor,
                               TimerClock& clock)
    : settings_(std::move(settings)), executor_(std::move(executor)), clock_(clock) {}

Result<OpenRegistry> RegistryAccess::open(const RegistryHost& host) const {
  RegistryOptions options{.registry = host, .trust_hint = "add its PEM certificate with --registry-ca FILE"};
  if (!settings_.credentials_file.empty()) {
    FAIRWAY_TRY(const std::string text, read_file(settings_.credentials_file));
    auto credentials = Credentials::parse(text);
    if (!credentials) {
      return std::unexpected(
          std::move(credentials)
              .error()
              .within(fmt::format("while reading {}", quoted(settings_.credentials_file))));
    }
    options.credentials = *std::move(credentials);
  }
  http::ClientOptions client;
  if (!host.is_plain) {
    FAIRWAY_TRY(client.tls, http::client_context_trusting(settings_.ca_file));
  }
  OpenRegistry open;
  open.client = std::make_unique<http::Client>(executor_, clock_, std::move(client));
  open.registry = std::make_unique<Registry>(*open.client, clock_, std::move(options));
  return open;
}

}  // namespace fairway::oci
