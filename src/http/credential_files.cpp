#include "http/credential_files.hpp"

#include <fmt/format.h>

#include "async/files.hpp"
#include "base/text.hpp"

namespace fairway::http {

Result<std::shared_ptr<TlsContext>> client_context_trusting(const std::string& ca_file) {
  TlsClientSettings settings;
  if (!ca_file.empty()) {
    FAIRWAY_TRY(settings.ca_pem, read_file(ca_file));
  }
  auto context = make_client_context(settings);
  if (!context && !ca_file.empty())
    return std::unexpected(
        std::move(context).error().within(fmt::format("while reading {}", quoted(ca_file))));
  return context;
}

Result<std::shared_ptr<TlsContext>> tls_for(const Url& url, const std::string& ca_file) {
  if (!url.is_tls()) return nullptr;
  return client_context_trusting(ca_file);
}

Result<void> add_bearer_token(Headers& headers, const std::string& token_file) {
  if (token_file.empty()) return {};
  FAIRWAY_TRY(const std::string token, read_file(token_file));
  headers.add("Authorization", fmt::format("Bearer {}", trim(token)));
  return {};
}

}  // namespace fairway::http
