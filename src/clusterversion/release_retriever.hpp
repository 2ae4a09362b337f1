// ReleaseRetriever: a release that was asked for, retrieved and verified, or which step of that failed.
//
// The signature of the digest is checked before anything is loaded, and what is loaded must be what has that
// digest. Only force goes on without; the reason is kept for the record. The running release is taken as it
// is. What it is given outlives it.
#pragma once

#include <string>
#include <vector>

#include "async/task.hpp"
#include "clusterversion/payload_source.hpp"
#include "clusterversion/rollout.hpp"
#include "clusterversion/verification.hpp"

namespace fairway::clusterversion {

class ReleaseRetriever {
 public:
  // `stores` count where the object names none.
  ReleaseRetriever(PayloadSource& payloads, ReleaseVerifier& verifier, std::vector<std::string> stores);

  // Fails only when it is cancelled.
  Task<Retrieval> retrieve(RetrieveRelease asked);

 private:
  // Why the digest cannot be trusted; empty when it can.
  Task<std::string> doubt(std::string digest, std::vector<std::string> stores);

  PayloadSource& payloads_;
  ReleaseVerifier& verifier_;
  std::vector<std::string> stores_;
};

}  // namespace fairway::clusterversion
