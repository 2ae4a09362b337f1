// A certificate and its key as two files that are replaced together. Internal to pki.
//
// Both are written under new names and synced; then the key is renamed, then the certificate. A process that
// ends in between is caught up with by the next read_pair(): with both new files there the old pair is still
// whole, and the new files go; with the new certificate alone its key is already in place, and it follows.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/certificates.hpp"

namespace fairway::apiserver {

struct PairFiles {
  std::string certificate;
  std::string key;
};
PairFiles pair_files(const std::string& directory, const std::string& name);

struct FoundPair {
  std::optional<std::string> certificate;
  std::optional<std::string> key;
};

// Makes the directory, or makes an existing one private.
Result<void> make_pki_directory(const std::string& directory);
Result<FoundPair> read_pair(const PairFiles& files);
Result<void> write_pair(const PairFiles& files, const http::KeyPair& pair);

}  // namespace fairway::apiserver
