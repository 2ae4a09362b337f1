// What is to be done about the Service of a controller, and why: the decision table of publishing. Pure.
//
// Deletion needs consent: the annotation on a living controller whose spec asks for what only a new Service
// can give. Whatever cannot be told for sure is reported and left alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ingress/consent.hpp"
#include "ingress/observed.hpp"
#include "ingress/service.hpp"

namespace fairway::ingress {

enum class ServiceState {
  NotWanted,    // another strategy, and none there
  Leftover,     // another strategy in spec and status, and one of ours there
  Missing,      // wanted and not there
  Conflicting,  // the name is taken by what is not ours
  Terminating,
  Live,
};

struct ServiceJudgement {
  ServiceState state = ServiceState::NotWanted;
  json::Object patch = {};                   // of a live one; empty: nothing to do
  json::Object after = {};                   // a live one with the patch, unless that is refused
  std::vector<Difference> differences = {};  // of `after`, that only a new Service can resolve
  std::optional<ScopeChange> changing = {};  // the cloud is at it
  // To delete this one for the differences that the spec asks for; given: it is done.
  Permission permission = {};
  std::string doubt = {};      // why the scope cannot be relied upon
  bool is_unverified = false;  // the annotations say what is wanted, the load balancer may not be it
  std::vector<std::string> managed = {};  // managed annotations that stay wrong
  std::vector<std::string> edits = {};    // of users, that a new Service would not have
  std::optional<Error> error = {};        // the spec cannot be read

  const Difference* scope() const;
};

// `wanted`: the load balancer that is to be provided, if any.
ServiceJudgement judge_service(const Observed& seen, const std::optional<LoadBalancerStrategy>& wanted);

}  // namespace fairway::ingress
