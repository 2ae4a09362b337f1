// BlobReader: the bytes of a blob, piece by piece, checked against its descriptor.
//
// The end is reported only when size and SHA-256 are those of the descriptor: until then nothing that was
// read may be believed. A connection that breaks is taken up where it broke, so that a large layer survives a
// restarted registry. The registry outlives its readers.
#pragma once

#include <memory>
#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "http/crypto.hpp"
#include "oci/manifest.hpp"

namespace fairway::oci {

class Session;

class BlobReader {
 public:
  // As Registry::open_blob does it.
  BlobReader(Session& session, std::string repository, Descriptor descriptor);
  BlobReader(BlobReader&&) noexcept = default;
  BlobReader& operator=(BlobReader&&) noexcept = default;

  // The next piece; empty at the verified end and from then on. After an error there is nothing more to be
  // had.
  Task<std::string> read();
  // Connects, so that what is wrong with the request shows before anything is read.
  Task<void> open();

  const Descriptor& descriptor() const { return descriptor_; }

 private:
  std::string place() const;
  Task<std::string> read_piece();
  Result<void> check_head() const;
  Result<std::string> taken(std::string piece);
  Result<std::string> verified();

  Session* session_;
  std::string repository_;
  Descriptor descriptor_;
  std::unique_ptr<http::ResponseStream> stream_;
  http::Sha256 digest_;
  std::uint64_t received_ = 0;
  std::uint64_t to_skip_ = 0;  // sent again by a registry that does not resume
  SteadyTime deadline_;
  int failures_ = 0;  // since bytes last came
  bool is_verified_ = false;
};

}  // namespace fairway::oci
