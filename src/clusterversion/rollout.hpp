// Rollout: from a request for another release to a cluster that runs it. Pure.
//
// Two stages. A request is retrieved, verified and checked; only then is it accepted, which means: written
// into status.desired and the history. What the status names is then applied, manifest by manifest, and the
// history says so when the last one is ready. Acceptance is on record before anything of the release is
// applied, so that after a crash the status alone tells what to go on with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clusterversion/acceptance.hpp"
#include "clusterversion/payload.hpp"
#include "clusterversion/query_schedule.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

// What came of retrieving a release: a payload, or a failure.
struct Retrieval {
  std::shared_ptr<const Payload> payload = {};
  bool is_verified = false;
  std::string verification = {};  // why not, when it was forced
  std::optional<PayloadFailure> failure = {};
};

// A release that was asked of a registry or directory.
struct RetrievedRelease {
  Wanted wanted = {};
  bool is_local = false;  // it is the running one: neither verified nor checked again
  bool is_under_way = false;
  std::shared_ptr<const Payload> payload = {};
  bool is_verified = false;
  std::string verification = {};  // why it could not be verified, when it was forced
  std::optional<PayloadFailure> failure = {};
  int tries = 0;
  SteadyTime retry = {};  // after a failure
};

// Why the next manifest is not done.
struct Obstacle {
  std::string text;
  std::string reason = {};  // of Failing; empty while it is only waited for
  int tries = 0;
  SteadyTime retry = {};
};

// How far the release of that image is applied.
struct Application {
  std::string image = {};
  std::size_t done = 0;  // manifests
  std::optional<Obstacle> obstacle = {};
  bool is_applied = false;  // the one after those done; it is waited for
};

struct RolloutMemory {
  std::vector<RetrievedRelease> releases = {};
  Application application = {};

  const RetrievedRelease* find(const Wanted& wanted) const;          // the same request
  const RetrievedRelease* payload_of(std::string_view image) const;  // any with a payload
};

struct RolloutSettings {
  Release initial = {};                // of a cluster whose status does not say what it runs
  std::string architecture = "amd64";  // of this machine, as Go names it
  bool accepts_risks = false;
  std::size_t batch = 20;  // manifests between two looks
};

struct RetrieveRelease {
  Wanted wanted;
  bool is_local = false;
  int tries = 0;
  std::vector<std::string> signature_stores = {};  // of the object; none: the operator's
};
struct ApplyManifest {
  std::string image;
  std::size_t index = 0;
  std::string what;           // Deployment openshift/x
  bool is_unmanaged = false;  // an override has it left alone
};
struct CheckManifest {
  std::string image;
  std::size_t index = 0;
  std::string what;
};

struct RolloutDecision {
  Release desired = {};
  std::vector<HistoryEntry> history = {};
  std::string version_hash = {};
  kube::Conditions conditions = {};  // without times; those that are absent are to be removed
  std::vector<RetrieveRelease> retrievals = {};
  std::vector<ApplyManifest> applications = {};
  std::optional<CheckManifest> check = {};
  std::optional<SteadyTime> retry = {};  // when to look again
};

// `status` is the published one with updates and the condition Upgradeable as they are now.
RolloutDecision decide_rollout(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                               const RolloutMemory& memory, Moment now, const RolloutSettings& settings);

// What becomes of the memory when a release is asked for and when that ends. `running` is the image that the
// status names: of the others, those that nobody waits for are forgotten.
void begin_retrieval(RolloutMemory& memory, const RetrieveRelease& asked, std::string_view running);
void end_retrieval(RolloutMemory& memory, const RetrieveRelease& asked, Retrieval outcome, SteadyTime now);

// The payload, if the manifest of that index is the next of that image; null when it is not its turn.
std::shared_ptr<const Payload> next_step(RolloutMemory& memory, const std::string& image, std::size_t index);
// What came of applying it or looking at it: `live` is the object as the server has it.
void settle_step(RolloutMemory& memory, const Payload& payload, std::size_t index,
                 const Result<json::Object>& live, SteadyTime now);
// It is left alone, or gone as it should be.
void skip_step(RolloutMemory& memory);

// The pause before the same step is tried again.
Duration retry_pause(int tries);

// "Deployment openshift/x"
std::string describe_manifest(const PayloadManifest& manifest);

}  // namespace fairway::clusterversion
