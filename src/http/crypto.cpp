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
