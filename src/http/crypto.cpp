#include "http/crypto.hpp"

#include <fmt/format.h>
#include <limits>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <optional>

namespace fairway::http {
namespace {

const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Result<void> check_sizes(std::string_view key, std::string_view vector, std::string_view text) {
  if (key.size() != kAesKeySize)
    return fail(ErrorCode::Invalid, fmt::format("the key has {} bytes, not {}", key.size(), kAesKeySize));
  if (vector.size() != kAesBlockSize)
    return fail(ErrorCode::Invalid,
                fmt::format("the initialization vector has {} bytes, not {}", vector.size(), kAesBlockSize));
  if (text.size() > std::numeric_limits<int>::max() - kAesBlockSize)
    return fail(ErrorCode::Invalid, "the text is too long to be encrypted");
  return {};
}

// Nothing: the bytes do not end as encrypted ones do.
std::optional<std::string> run_aes(std::string_view key, std::string_view vector, std::string_view given,
                                   bool encrypts) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                EVP_CIPHER_CTX_free);
  FAIRWAY_CHECK(context != nullptr, "OpenSSL has no memory");
  const int begun = EVP_CipherInit_ex(context.get(), EVP_aes_256_cbc(), nullptr, octets(key), octets(vector),
                                      encrypts ? 1 : 0);
  FAIRWAY_CHECK(begun == 1, "OpenSSL begins no AES-256");
  std::string made(given.size() + kAesBlockSize, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(made.data());
  int size = 0;
  const int done = EVP_CipherUpdate(context.get(), out, &size, octets(given), static_cast<int>(given.size()));
  FAIRWAY_CHECK(done == 1, "OpenSSL goes on with no AES-256");
  int rest = 0;
  if (EVP_CipherFinal_ex(context.get(), out + size, &rest) != 1) {
    ERR_clear_error();
    OPENSSL_cleanse(made.data(), made.size());
    return std::nullopt;
  }
  made.resize(static_cast<std::size_t>(size) + static_cast<std::size_t>(rest));
  return made;
}

}  // namespace

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

Result<std::string> encrypt_aes256_cbc(std::string_view key, std::string_view vector, std::string_view text) {
  FAIRWAY_CHECKED(check_sizes(key, vector, text));
  auto made = run_aes(key, vector, text, true);
  FAIRWAY_CHECK(made.has_value(), "OpenSSL ends no AES-256");
  return *std::move(made);
}

Result<std::string> decrypt_aes256_cbc(std::string_view key, std::string_view vector,
                                       std::string_view bytes) {
  FAIRWAY_CHECKED(check_sizes(key, vector, bytes));
  auto made =
      bytes.empty() || bytes.size() % kAesBlockSize != 0 ? std::nullopt : run_aes(key, vector, bytes, false);
  if (!made) return fail(ErrorCode::Invalid, "the bytes were not encrypted with this key and vector");
  return *std::move(made);
}

}  // namespace fairway::http
