// TLS settings of servers and clients, from PEM text. OpenSSL stays behind this header.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"

namespace fairway::http {

struct TlsServerSettings {
  std::string certificate_pem;  // the chain, leaf first
  std::string key_pem;
  std::string
      client_ca_pem;  // clients that offer a certificate must have it from here; empty: none is asked for
};

struct TlsClientSettings {
  std::string ca_pem;           // empty: the system's authorities
  std::string certificate_pem;  // empty: no client certificate
  std::string key_pem;
  std::string server_name;  // verified instead of the URL's host, when set
  bool insecure = false;    // no verification at all; the user asked for it
};

// Immutable once made; connections share it, and a reload makes a new one.
class TlsContext;

Result<std::shared_ptr<TlsContext>> make_server_context(const TlsServerSettings& settings);
Result<std::shared_ptr<TlsContext>> make_client_context(const TlsClientSettings& settings);

}  // namespace fairway::http
