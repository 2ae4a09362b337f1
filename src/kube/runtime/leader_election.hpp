// LeaderElection: among several running copies, one leads at a time, by holding a Lease.
//
// run() waits until the lease is ours, then runs the given task while it stays ours. When the lease cannot be
// renewed in time the task is cancelled and awaited before the lease can expire for others, and run() fails
// with Unavailable; the owner may run it again. When run() itself is cancelled the task is awaited first and
// the lease handed over then, so that the next leader need not wait. The times are client-go's:
// renew_deadline < lease_duration leaves the difference for the task to end in.
#pragma once

#include <functional>
#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "kube/client/backoff.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/lease.hpp"

namespace fairway::kube {

struct LeaderElectionOptions {
  ObjectKey lease;
  std::string identity;  // unique among the candidates
  std::chrono::seconds lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  bool release_on_stop = true;
  std::uint64_t seed = 1;                // of the jitter
  metrics::Registry* metrics = nullptr;  // leader_election_master_status; none when null
  std::function<void(const std::string& leader)> on_new_leader = {};
};

class LeaderElection {
 public:
  LeaderElection(Client& client, LeaderElectionOptions options);

  // `lead` is called once the lease is ours.
  Task<void> run(std::function<Task<void>()> lead);

  bool is_leader() const { return is_leader_; }
  std::string leader() const { return view_.holder(); }

 private:
  Task<void> acquire();
  Task<void> hold();
  Task<void> attempt();
  Task<void> write(Lease lease);
  Task<void> hand_over();
  Task<void> release();
  void set_leader(bool is_leader);
  void note_leader();

  Client& client_;
  TimerClock& clock_;
  LeaderElectionOptions options_;
  LeaseView view_;
  Random random_;
  bool is_leader_ = false;
  SteadyTime renewed_{};
  std::string reported_;
};

}  // namespace fairway::kube
