#include "http/crypto.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/result.hpp"

namespace fairway::http {

std::string sha256(std::string_view bytes) {
  std::string digest(32, '\0');
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                              &size, EVP_sha256(), nullptr);
  FAIRWAY_CHECK(done == 1 && size == digest.size(), "OpenSSL computed no SHA-256");
  return digest;
}

struct Sha256::Context {
  Context() : digest(EVP_MD_CTX_new()) { FAIRWAY_CHECK(digest != nullptr, "OpenSSL has no memory"); }
  ~Context() { EVP_MD_CTX_free(digest); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void begin() {
    FAIRWAY_CHECK(EVP_DigestInit_ex(digest, EVP_sha256(), nullptr) == 1, "OpenSSL begins no SHA-256");
  }

  EVP_MD_CTX* digest;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  context_->begin();
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  FAIRWAY_CHECK(EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size()) == 1,
                "OpenSSL goes on with no SHA-256");
}

std::string Sha256::finish() {
  std::string digest(32, '\0');
  unsigned int size = 0;
  const int done =
      EVP_DigestFinal_ex(context_->digest, reinterpret_cast<unsigned char*>(digest.data()), &size);
  FAIRWAY_CHECK(done == 1 && size == digest.size(), "OpenSSL computed no SHA-256");
  context_->begin();
  return digest;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int done = RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  FAIRWAY_CHECK(done == 1, "the random generator gave no bytes");
  return bytes;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace fairway::http
