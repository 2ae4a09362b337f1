#include "clusterversion/status_events.hpp"

#include <fmt/format.h>

#include "clusterversion/decide.hpp"

namespace fairway::clusterversion {
namespace {

bool differs(const kube::Condition* before, const kube::Condition& after) {
  return before == nullptr || before->status != after.status || before->reason != after.reason ||
         before->message != after.message;
}

// A step of accepting a release: begun, failed, or passed.
void tell_acceptance(const kube::Condition& accepted, const ClusterVersionStatus& after,
                     std::vector<EventText>& events) {
  if (accepted.status == kube::kConditionUnknown) {
    events.push_back({accepted.reason, accepted.message});
  } else if (accepted.status == kube::kConditionFalse) {
    const bool is_blocked = accepted.reason == "PreconditionChecks";
    events.push_back({is_blocked ? "PreconditionBlock" : accepted.reason + "Failed", accepted.message, true});
  } else if (!after.history.empty() && after.history.front().state == kPartial) {
    const std::string& risks = after.history.front().accepted_risks;
    events.push_back(risks.empty() ? EventText{"PreconditionsPassed", "All preconditions passed."}
                                   : EventText{"PreconditionWarn", risks, true});
    events.push_back({"PayloadLoaded", accepted.message});
  }
}

bool has_completed(const ClusterVersionStatus& before, const ClusterVersionStatus& after) {
  if (after.history.empty() || after.history.front().state != kCompleted) return false;
  if (before.history.empty()) return true;
  return before.history.front().state != kCompleted ||
         before.history.front().image != after.history.front().image;
}

}  // namespace

std::vector<EventText> status_events(const ClusterVersionStatus& before, const ClusterVersionStatus& after) {
  std::vector<EventText> events;
  const auto* accepted = kube::find_condition(after.conditions, "ReleaseAccepted");
  if (accepted != nullptr && differs(kube::find_condition(before.conditions, "ReleaseAccepted"), *accepted))
    tell_acceptance(*accepted, after, events);
  const auto* exposed = kube::find_condition(after.conditions, kExposedToKnownRisks);
  if (exposed != nullptr && differs(kube::find_condition(before.conditions, kExposedToKnownRisks), *exposed))
    events.push_back({exposed->reason, exposed->message, true});
  if (has_completed(before, after)) {
    events.push_back({"UpdateComplete", fmt::format("Done applying {}", after.history.front().version)});
  }
  return events;
}

}  // namespace fairway::clusterversion
