#include "kube/runtime/leader_election.hpp"

#include <fmt/format.h>

#include "async/deadline.hpp"
#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "kube/client/api.hpp"

namespace fairway::kube {
namespace {

// A candidate waits between one and this many more periods, so that candidates do not collide.
constexpr double kJitter = 1.2;

// Ends the group with its one task, so that the waiting leader learns of it.
Task<void> lead_then_end(std::function<Task<void>()> lead, std::optional<Result<void>>& outcome,
                         async::Notify& ended) {
  outcome = co_await lead();
  ended.notify();
  co_return Result<void>{};
}

}  // namespace

LeaderElection::LeaderElection(Client& client, LeaderElectionOptions options)
    : client_(client),
      clock_(client.clock()),
      options_(std::move(options)),
      view_(options_.identity, options_.lease_duration),
      random_(options_.seed) {
  FAIRWAY_CHECK(options_.renew_deadline < options_.lease_duration,
                "the renew deadline is shorter than the lease");
  FAIRWAY_CHECK(options_.retry_period < options_.renew_deadline,
                "the retry period is shorter than the renew deadline");
  set_leader(false);
}

void LeaderElection::set_leader(bool is_leader) {
  is_leader_ = is_leader;
  if (options_.metrics == nullptr) return;
  options_.metrics
      ->gauge("leader_election_master_status",
              "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 "
              "indicates master. "
              "'name' is the string used to identify the lease.",
              {"name"})
      .with({options_.lease.name})
      .set(is_leader ? 1 : 0);
}

void LeaderElection::note_leader() {
  if (view_.holder() == reported_) return;
  reported_ = view_.holder();
  if (reported_.empty()) return;
  log::info("new leader", {{"lease", options_.lease.to_string()}, {"leader", reported_}});
  if (options_.on_new_leader) options_.on_new_leader(reported_);
}

// One try to take or renew the lease; an error when it is not ours afterwards.
Task<void> LeaderElection::attempt() {
  const Api<Lease> leases(client_, options_.lease.namespace_);
  const ObjectMeta metadata{.name = options_.lease.name, .namespace_ = options_.lease.namespace_};
  // The leader knows what it last wrote and saves a read; if someone else wrote since, the write is refused.
  if (is_leader_ && view_.is_ours()) {
    auto renewed = co_await write(view_.taken(metadata, clock_.now()));
    if (renewed || retry_of(renewed.error().code) == Retry::Backoff ||
        renewed.error().code == ErrorCode::Cancelled) {
      co_return renewed;
    }
  }
  auto read = co_await leases.get(options_.lease.name);
  if (read) {
    view_.observe(*read, clock_.steady());
  } else if (read.error().code == ErrorCode::NotFound) {
    view_.forget();
  } else {
    co_return std::unexpected(std::move(read.error()));
  }
  note_leader();
  if (!view_.may_be_taken(clock_.steady())) {
    co_return fail(ErrorCode::Conflict,
                   fmt::format("the lease {} is held by {}", quoted(options_.lease.to_string()),
                               quoted(view_.holder())));
  }
  co_return co_await write(view_.taken(metadata, clock_.now()));
}

Task<void> LeaderElection::write(Lease lease) {
  const Api<Lease> leases(client_, options_.lease.namespace_);
  // The time counts from before the write: others may see it as soon as it is sent.
  const SteadyTime sent = clock_.steady();
  const bool is_new = lease.metadata.resource_version.empty();
  auto written = co_await (is_new ? leases.create(lease) : leases.update(lease));
  if (!written) co_return std::unexpected(std::move(written.error()));
  view_.observe(*written, clock_.steady());
  renewed_ = sent;
  note_leader();
  co_return Result<void>{};
}

Task<void> LeaderElection::acquire() {
  for (;;) {
    auto taken = co_await async::with_deadline(clock_, clock_.steady() + options_.renew_deadline, attempt());
    if (taken) co_return taken;
    if (co_await async::is_cancelled()) co_return async::cancelled();
    if (taken.error().code != ErrorCode::Conflict) {
      log::warning("cannot take the lease yet",
                   {{"lease", options_.lease.to_string()}, {"error", taken.error().describe()}});
    }
    const double periods = 1 + kJitter * random_.unit();
    const Duration pause(
        static_cast<Duration::rep>(static_cast<double>(options_.retry_period.count()) * periods));
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock_, pause));
  }
}

// Renews until that has failed for so long that the lease is given up.
Task<void> LeaderElection::hold() {
  Error last{ErrorCode::Timeout, "no answer"};
  for (;;) {
    const SteadyTime deadline = renewed_ + options_.renew_deadline;
    if (clock_.steady() >= deadline) {
      co_return fail(
          ErrorCode::Unavailable,
          fmt::format("lost the lease {}: not renewed for {}: {}", quoted(options_.lease.to_string()),
                      format_duration(options_.renew_deadline), last.describe()));
    }
    FAIRWAY_CO_CHECKED(
        co_await async::sleep_until(clock_, std::min(clock_.steady() + options_.retry_period, deadline)));
    auto renewed = co_await async::with_deadline(clock_, deadline, attempt());
    if (renewed) continue;
    if (co_await async::is_cancelled()) co_return async::cancelled();
    if (!view_.is_ours()) {
      co_return fail(ErrorCode::Unavailable,
                     fmt::format("lost the lease {}: it is held by {}", quoted(options_.lease.to_string()),
                                 quoted(view_.holder())));
    }
    last = std::move(renewed.error());
  }
}

Task<void> LeaderElection::hand_over() {
  // A renewal that was cut short may have reached the server: what it knows counts.
  const Api<Lease> leases(client_, options_.lease.namespace_);
  FAIRWAY_CO_TRY(const Lease lease, co_await leases.get(options_.lease.name));
  view_.observe(lease, clock_.steady());
  if (!view_.is_ours()) co_return Result<void>{};
  co_return co_await write(view_.released(clock_.now()));
}

Task<void> LeaderElection::release() {
  if (!options_.release_on_stop || !view_.is_ours()) co_return Result<void>{};
  auto released =
      co_await async::with_deadline(clock_, clock_.steady() + options_.renew_deadline, hand_over());
  if (!released) {
    log::warning("could not hand the lease over",
                 {{"lease", options_.lease.to_string()}, {"error", released.error().describe()}});
  }
  co_return Result<void>{};
}

Task<void> LeaderElection::run(std::function<Task<void>()> lead) {
  FAIRWAY_CO_CHECKED(co_await acquire());
  set_leader(true);
  const auto executor = co_await boost::asio::this_coro::executor;
  async::TaskGroup group(executor);
  async::Notify changed;
  std::optional<Result<void>> led;
  std::optional<Result<void>> held;
  const auto hold_lease = [this] { return hold(); };
  group.spawn("lead", lead_then_end(lead, led, changed));
  group.spawn("lease", lead_then_end(hold_lease, held, changed));
  Result<void> waited;
  while (waited && !led && !held) waited = co_await changed.wait();
  // From here on we wait, even though we may be cancelled: for the tasks to end, and for the lease to be
  // handed over.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await group.stop();
  set_leader(false);
  // Whoever lost the lease has nothing to hand over.
  const bool is_lost = held && !*held && held->error().code != ErrorCode::Cancelled;
  if (is_lost) co_return *held;
  FAIRWAY_CO_CHECKED(co_await release());
  if (!waited) co_return waited;
  co_return led ? *led : Result<void>{};
}

}  // namespace fairway::kube
