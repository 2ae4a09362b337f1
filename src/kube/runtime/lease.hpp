// Leases (coordination.k8s.io/v1) and the judgement of who holds one. Pure.
//
// As in client-go, clocks of different machines are never compared: a lease counts as expired when it has not
// changed for its duration by our own steady clock, whatever times it carries.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "kube/core/object.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::kube {

struct LeaseSpec {
  std::optional<std::string> holder_identity = {};
  std::optional<std::int32_t> lease_duration_seconds = {};
  std::optional<json::MicroTime> acquire_time = {};
  std::optional<json::MicroTime> renew_time = {};
  std::optional<std::int32_t> lease_transitions = {};
  json::Object unknown = {};
  bool operator==(const LeaseSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(LeaseSpec, (),
                      (holder_identity, lease_duration_seconds, acquire_time, renew_time, lease_transitions,
                       unknown))

struct Lease {
  ObjectMeta metadata;
  LeaseSpec spec = {};
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(Lease, (), (metadata, spec, unknown))
inline ResourceType resource_type(const Lease*) {
  return {.kind = {"coordination.k8s.io", "v1", "Lease"}, .resource = "leases", .is_namespaced = true};
}

// What one candidate knows of a lease.
class LeaseView {
 public:
  LeaseView(std::string identity, std::chrono::seconds duration)
      : identity_(std::move(identity)), duration_(duration) {}

  // What was read; a change counts from now.
  void observe(const Lease& lease, SteadyTime now);
  // There is none, or it cannot be told what it says.
  void forget();

  bool is_known() const { return known_.has_value(); }
  bool is_ours() const { return holder() == identity_; }
  // Whose it is, as far as we know; empty when nobody's.
  std::string holder() const;
  // Ours, released, or not renewed for its duration.
  bool may_be_taken(SteadyTime now) const;

  // The lease to write in order to take or renew it; made new when none is known.
  Lease taken(const ObjectMeta& metadata, WallTime now) const;
  // The lease to write in order to hand it over.
  Lease released(WallTime now) const;

 private:
  std::string identity_;
  std::chrono::seconds duration_;
  std::optional<Lease> known_;
  SteadyTime changed_{};
};

}  // namespace fairway::kube
