#include "http/tls.hpp"

#include <boost/asio/buffer.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <optional>

#include "base/text.hpp"
#include "http/tls_context.hpp"

namespace fairway::http {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;

constexpr unsigned char kHttp11[] = "\x08http/1.1";

// ALPN: we speak HTTP/1.1; a client that insists on something else is told so by the handshake.
int select_protocol(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* in,
                    unsigned int in_length, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, kHttp11, sizeof kHttp11 - 1, in, in_length) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Result<void> use_pair(ssl::context& context, const std::string& certificate, const std::string& key) {
  boost::system::error_code error;
  context.use_certificate_chain(asio::buffer(certificate), error);
  if (error) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected a PEM certificate chain, found {}", error.message()));
  }
  context.use_private_key(asio::buffer(key), ssl::context::pem, error);
  if (error)
    return fail(ErrorCode::Invalid, fmt::format("expected a PEM private key, found {}", error.message()));
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    return fail(ErrorCode::Invalid, "the private key does not belong to the certificate: " + openssl_error());
  }
  return {};
}

Result<void> trust(ssl::context& context, const std::string& authorities) {
  boost::system::error_code error;
  context.add_certificate_authority(asio::buffer(authorities), error);
  if (error) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected PEM certificates of authorities, found {}", error.message()));
  }
  return {};
}

void restrict_protocols(ssl::context& context) {
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
}

std::string entry_text(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (length < 0) return {};
  std::string result(reinterpret_cast<const char*>(text), static_cast<std::size_t>(length));
  OPENSSL_free(text);
  return result;
}

}  // namespace

std::string openssl_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "no further detail";
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

std::optional<CertificateIdentity> peer_identity(SSL* handle) {
  X509* certificate = SSL_get1_peer_certificate(handle);
  if (certificate == nullptr) return std::nullopt;
  CertificateIdentity identity;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    const int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (nid == NID_commonName) identity.common_name = entry_text(entry);
    if (nid == NID_organizationName) identity.organizations.push_back(entry_text(entry));
  }
  X509_free(certificate);
  return identity;
}

Result<std::shared_ptr<TlsContext>> make_server_context(const TlsServerSettings& settings) {
  auto made = std::make_shared<TlsContext>(ssl::context::tls_server);
  restrict_protocols(made->context);
  FAIRWAY_CHECKED(use_pair(made->context, settings.certificate_pem, settings.key_pem));
  SSL_CTX_set_alpn_select_cb(made->context.native_handle(), select_protocol, nullptr);
  if (!settings.client_ca_pem.empty()) {
    FAIRWAY_CHECKED(trust(made->context, settings.client_ca_pem));
    made->context.set_verify_mode(ssl::verify_peer);
  }
  // Sessions are resumed by tickets; the identity of a client certificate is kept in them.
  const unsigned char id[] = "fairway";
  SSL_CTX_set_session_id_context(made->context.native_handle(), id, sizeof id - 1);
  return made;
}

namespace {

using Authorities = std::shared_ptr<X509_STORE>;

// When the system's authorities changed last; nothing where there is no such file.
std::optional<std::filesystem::file_time_type> time_of_authorities() {
  const char* named = std::getenv(X509_get_default_cert_file_env());
  std::error_code error;
  const auto time =
      std::filesystem::last_write_time(named != nullptr ? named : X509_get_default_cert_file(), error);
  return error ? std::nullopt : std::optional(time);
}

// Over a hundred, shared by all clients of the process and read again when they have changed.
Result<Authorities> system_authorities() {
  static std::mutex mutex;
  static Authorities known;
  static std::optional<std::filesystem::file_time_type> known_time;
  const std::lock_guard lock(mutex);
  const auto time = time_of_authorities();
  if (known && time == known_time) return known;
  const Authorities read(X509_STORE_new(), X509_STORE_free);
  if (!read || X509_STORE_set_default_paths(read.get()) != 1)
    return fail(ErrorCode::Unavailable,
                "the system's certificate authorities cannot be read: " + openssl_error());
  known_time = time;
  return known = read;
}

}  // namespace

Result<std::shared_ptr<TlsContext>> make_client_context(const TlsClientSettings& settings) {
  auto made = std::make_shared<TlsContext>(ssl::context::tls_client);
  restrict_protocols(made->context);
  made->server_name = settings.server_name;
  made->insecure = settings.insecure;
  SSL_CTX_set_alpn_protos(made->context.native_handle(), kHttp11, sizeof kHttp11 - 1);
  if (!settings.certificate_pem.empty()) {
    FAIRWAY_CHECKED(use_pair(made->context, settings.certificate_pem, settings.key_pem));
  }
  if (settings.insecure) {
    made->context.set_verify_mode(ssl::verify_none);
    return made;
  }
  made->context.set_verify_mode(ssl::verify_peer);
  if (!settings.ca_pem.empty()) {
    FAIRWAY_CHECKED(trust(made->context, settings.ca_pem));
    return made;
  }
  FAIRWAY_TRY(const Authorities authorities, system_authorities());
  SSL_CTX_set1_cert_store(made->context.native_handle(), authorities.get());
  return made;
}

}  // namespace fairway::http
