#include "kube/runtime/lease.hpp"

namespace fairway::kube {

void LeaseView::observe(const Lease& lease, SteadyTime now) {
  const bool is_same = known_ && known_->spec == lease.spec && known_->metadata.uid == lease.metadata.uid;
  if (!is_same) changed_ = now;
  known_ = lease;
}

void LeaseView::forget() {
  known_.reset();
}

std::string LeaseView::holder() const {
  return known_ ? known_->spec.holder_identity.value_or("") : std::string();
}

bool LeaseView::may_be_taken(SteadyTime now) const {
  if (!known_ || is_ours() || holder().empty()) return true;
  // The holder's own duration counts: it is what the holder relies on.
  const auto seconds = known_->spec.lease_duration_seconds;
  const std::chrono::seconds duration = seconds && *seconds > 0 ? std::chrono::seconds(*seconds) : duration_;
  return now >= changed_ + duration;
}

Lease LeaseView::taken(const ObjectMeta& metadata, WallTime now) const {
  Lease lease = known_.value_or(Lease{.metadata = metadata});
  const bool was_ours = is_ours();
  LeaseSpec& spec = lease.spec;
  if (!was_ours) {
    spec.acquire_time = json::MicroTime{now};
    spec.lease_transitions = spec.lease_transitions.value_or(0) + (known_ ? 1 : 0);
  }
  spec.holder_identity = identity_;
  spec.lease_duration_seconds = static_cast<std::int32_t>(duration_.count());
  spec.renew_time = json::MicroTime{now};
  return lease;
}

Lease LeaseView::released(WallTime now) const {
  Lease lease = known_.value_or(Lease{});
  lease.spec.holder_identity = "";
  lease.spec.lease_duration_seconds = 1;
  lease.spec.renew_time = json::MicroTime{now};
  lease.spec.acquire_time = json::MicroTime{now};
  return lease;
}

}  // namespace fairway::kube
