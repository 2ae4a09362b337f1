#include "http/certificates.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/text.hpp"
#include "http/tls_context.hpp"

namespace fairway::http {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* pointer) const {
    kFree(pointer);
  }
};
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>>;

std::unexpected<Error> openssl_failed(std::string_view doing) {
  return fail(ErrorCode::Internal, fmt::format("{} failed: {}", doing, openssl_error()));
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(length)};
}

Result<Certificate> read_certificate(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!certificate) return fail(ErrorCode::Invalid, "expected a PEM certificate, found " + openssl_error());
  return certificate;
}

Result<Key> read_key(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (!key) return fail(ErrorCode::Invalid, "expected a PEM private key, found " + openssl_error());
  return key;
}

void set_time(ASN1_TIME* field, WallTime time) {
  ASN1_TIME_set(field, std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

bool add_name(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

Result<Certificate> begin_certificate(EVP_PKEY* key, const CertificateRequest& request) {
  Certificate certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1)
    return openssl_failed("X509_new");
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) return openssl_failed("RAND_bytes");
  serial[0] &= 0x7F;
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
  BN_free(number);
  set_time(X509_getm_notBefore(certificate.get()), request.not_before);
  set_time(X509_getm_notAfter(certificate.get()), request.not_after);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  bool added = true;
  for (const std::string& organization : request.organizations)
    added = added && add_name(subject, "O", organization);
  if (!added || !add_name(subject, "CN", request.common_name)) return openssl_failed("setting the subject");
  if (X509_set_pubkey(certificate.get(), key) != 1) return openssl_failed("X509_set_pubkey");
  return certificate;
}

Result<KeyPair> finish(X509* certificate, EVP_PKEY* own_key, EVP_PKEY* signing_key) {
  if (X509_sign(certificate, signing_key, EVP_sha256()) == 0) return openssl_failed("X509_sign");
  const Bio certificate_pem(BIO_new(BIO_s_mem()));
  const Bio key_pem(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_pem.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_pem.get(), own_key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return openssl_failed("writing PEM");
  }
  return KeyPair{text_of(certificate_pem.get()), text_of(key_pem.get())};
}

}  // namespace

Result<KeyPair> make_authority(const std::string& common_name, WallTime not_before, WallTime not_after) {
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failed("making a key");
  const CertificateRequest request{common_name, {}, {}, {}, not_before, not_after};
  FAIRWAY_TRY(const Certificate certificate, begin_certificate(key.get(), request));
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  X509* self = certificate.get();
  const bool extended =
      add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE") &&
      add_extension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature") &&
      add_extension(self, self, NID_subject_key_identifier, "hash");
  if (!extended) return openssl_failed("adding extensions");
  return finish(self, key.get(), key.get());
}

Result<KeyPair> issue_certificate(const KeyPair& authority, const CertificateRequest& request) {
  FAIRWAY_TRY(const Certificate issuer, read_certificate(authority.certificate_pem));
  FAIRWAY_TRY(const Key issuer_key, read_key(authority.key_pem));
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failed("making a key");
  FAIRWAY_TRY(const Certificate certificate, begin_certificate(key.get(), request));
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  std::vector<std::string> names;
  for (const std::string& name : request.dns_names) names.push_back("DNS:" + name);
  for (const std::string& address : request.ip_addresses) names.push_back("IP:" + address);
  bool extended =
      add_extension(certificate.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
      add_extension(certificate.get(), issuer.get(), NID_key_usage, "critical,digitalSignature") &&
      add_extension(certificate.get(), issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth") &&
      add_extension(certificate.get(), issuer.get(), NID_authority_key_identifier, "keyid");
  if (extended && !names.empty()) {
    extended = add_extension(certificate.get(), issuer.get(), NID_subject_alt_name, join(names, ","));
  }
  if (!extended) return openssl_failed("adding extensions");
  return finish(certificate.get(), key.get(), issuer_key.get());
}

Result<WallTime> expiry_of(const std::string& certificate_pem) {
  FAIRWAY_TRY(const Certificate certificate, read_certificate(certificate_pem));
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1)
    return openssl_failed("reading notAfter");
  return WallTime{std::chrono::seconds(timegm(&end))};
}

Result<std::vector<std::string>> names_of(const std::string& certificate_pem) {
  FAIRWAY_TRY(const Certificate certificate, read_certificate(certificate_pem));
  std::vector<std::string> names;
  const Names found(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; found && i < sk_GENERAL_NAME_num(found.get()); ++i) {
    int type = 0;
    const auto* value = static_cast<const ASN1_STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(found.get(), i), &type));
    const auto* bytes = ASN1_STRING_get0_data(value);
    const auto length = static_cast<std::size_t>(ASN1_STRING_length(value));
    if (type == GEN_DNS) names.emplace_back(reinterpret_cast<const char*>(bytes), length);
    if (type == GEN_IPADD && (length == 4 || length == 16)) {
      std::array<char, INET6_ADDRSTRLEN> text{};
      ::inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text.data(), text.size());
      names.emplace_back(text.data());
    }
  }
  std::ranges::sort(names);
  return names;
}

Result<bool> is_issued_by(const std::string& certificate_pem, const std::string& authority_pem) {
  FAIRWAY_TRY(const Certificate certificate, read_certificate(certificate_pem));
  FAIRWAY_TRY(const Certificate authority, read_certificate(authority_pem));
  const bool is_signed = X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  openssl_error();  // a wrong signature leaves a record behind
  return is_signed;
}

}  // namespace fairway::http
