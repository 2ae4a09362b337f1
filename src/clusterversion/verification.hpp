// ReleaseVerifier: whether a release was signed by somebody whom this cluster trusts.
//
// Stores (URLs or directories) are asked one after another for the signatures of the image's digest until one
// is found that gpgv accepts with the keyring and whose text names this digest. A store that cannot be asked
// does not hide the next one; without a valid signature all that was found is told. Nothing is trusted that
// was not checked: without stores, a keyring or a digest there is no verification. Lives on one event loop;
// gpgv runs on the pool. What it is given outlives it.
#pragma once

#include <string>
#include <vector>

#include "async/process.hpp"
#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"

namespace fairway::clusterversion {

struct VerificationSettings {
  std::string keyring_file = {};  // public keys, in armour or not; read anew for each verification
  std::string program = "gpgv";
  Duration timeout = std::chrono::minutes(2);
};

// Somebody who fills a store must not keep us busy for ever.
inline constexpr std::size_t kMostSignatures = 16;
inline constexpr std::size_t kMostSignatureBytes = 64 * 1024;

class ReleaseVerifier {
 public:
  ReleaseVerifier(VerificationSettings settings, http::Transport& transport, TimerClock& clock,
                  async::WorkerPool& pool, Process& process);

  // `digest` is sha256:…; stores are https://…, http://…, file://… or paths. The error's message says why it
  // cannot be verified.
  Task<void> verify(std::string digest, std::vector<std::string> stores);

 private:
  Task<void> search(std::string digest, std::vector<std::string> stores);
  Task<void> search_store(std::string digest, std::string store);
  Task<std::string> fetch(std::string store, std::string path);
  Task<std::string> fetch_url(http::Url url);
  Task<void> check(std::string digest, std::string signature);

  VerificationSettings settings_;
  http::Transport& transport_;
  TimerClock& clock_;
  async::WorkerPool& pool_;
  Process& process_;
};

}  // namespace fairway::clusterversion
