// The inside of TlsContext, for this folder only.
#pragma once

#include <boost/asio/ssl/context.hpp>

#include "http/message.hpp"
#include "http/tls.hpp"

namespace fairway::http {

class TlsContext {
 public:
  explicit TlsContext(boost::asio::ssl::context::method method) : context(method) {}

  boost::asio::ssl::context context;
  std::string server_name;
  bool insecure = false;
};

// The last error that OpenSSL recorded on this thread, as text; the record is emptied.
std::string openssl_error();

// Who the verified certificate of the peer names; nothing when it gave none.
std::optional<CertificateIdentity> peer_identity(SSL* ssl);

}  // namespace fairway::http
