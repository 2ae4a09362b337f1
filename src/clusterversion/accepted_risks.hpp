// What is recorded in the history as accepted by an update: that it was not verified, that it was not
// recommended and why, and every other objection. Pure.
//
// Worked out once, when the update is accepted; risks that are evaluated anew later do not change it. Parts
// are separated by empty lines; the text ends without a newline.
#pragma once

#include <string>

#include "clusterversion/preconditions.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

struct AcceptedUpdate {
  const ClusterVersionSpec& spec;
  const ClusterVersionStatus& status;  // as it was when the update was accepted
  const Release& target;
  const Objections& objections;   // of check_preconditions()
  std::string verification = {};  // why it could not be verified; empty when it was
  bool force = false;
  bool accepts_risks = false;  // spec.desiredUpdate.acceptRisks means something
};

// Empty when there is nothing to remember.
std::string describe_accepted_risks(const AcceptedUpdate& update);

// The text for an update that could not be verified and went on by force.
std::string describe_unverified(const Release& target, const std::string& why);

}  // namespace fairway::clusterversion
