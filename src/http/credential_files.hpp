// Credential files: what administrators give a client in files, read whenever it is needed, so that a renewed
// file counts without a restart.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "http/message.hpp"
#include "http/tls.hpp"

namespace fairway::http {

// Trusting the authorities in this PEM file, or the system's where none is named.
Result<std::shared_ptr<TlsContext>> client_context_trusting(const std::string& ca_file);
// The same for a server of this URL; null for one without TLS.
Result<std::shared_ptr<TlsContext>> tls_for(const Url& url, const std::string& ca_file);

// Adds the bearer token of this file; nothing where none is named.
Result<void> add_bearer_token(Headers& headers, const std::string& token_file);

}  // namespace fairway::http
