// The few functions that credentials are made and compared with. OpenSSL stays behind this header.
//
// A secret is kept as its digest and compared without saying, by the time it takes, how much of it was right.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::http {

// 32 bytes.
std::string sha256(std::string_view bytes);

// The same of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // The digest of all that was given; afterwards it begins anew.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// From the system's generator; ends the process when that fails, because nothing sound can follow.
std::string random_bytes(std::size_t count);
// Takes the same time wherever two texts of one length differ.
bool equal_in_constant_time(std::string_view left, std::string_view right);

// AES-256 in CBC mode with PKCS #7 padding: what others write and read who have nothing better in common. It
// hides and does not sign: bytes that were changed, and a wrong key, are found out mostly, not always.
inline constexpr std::size_t kAesKeySize = 32;
inline constexpr std::size_t kAesBlockSize = 16;  // of the initialization vector too
Result<std::string> encrypt_aes256_cbc(std::string_view key, std::string_view vector, std::string_view text);
// No error says anything about the text.
Result<std::string> decrypt_aes256_cbc(std::string_view key, std::string_view vector, std::string_view bytes);

}  // namespace fairway::http
