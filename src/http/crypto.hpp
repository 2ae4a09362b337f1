// The few functions that credentials are made and compared with. OpenSSL stays behind this header.
//
// A secret is kept as its digest and compared without saying, by the time it takes, how much of it was right.
#pragma once

#include <memory>
#include <string>
#include <string_view>

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

}  // namespace fairway::http
