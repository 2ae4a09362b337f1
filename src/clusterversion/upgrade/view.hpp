// View: a ClusterVersion as the upgrade command looks at it. What is on offer and in which order, what the
// verdict on an update is, and the few pieces of text that all forms of the command share. Pure.
//
// Older clusters have no conditionalUpdates, and an entry may have no verdict yet; such an entry is Unknown,
// never recommended. Pointers and views point into the object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion::upgrade {

inline constexpr std::string_view kFailing = "Failing";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kUpgradeable = "Upgradeable";
inline constexpr std::string_view kReleaseAccepted = "ReleaseAccepted";
inline constexpr std::string_view kRetrievedUpdates = "RetrievedUpdates";
inline constexpr std::string_view kInvalid = "Invalid";

const kube::Condition* condition(const ClusterVersion& cluster, std::string_view type);
bool is_true(const ClusterVersion& cluster, std::string_view type);
// There, and anything but True.
bool is_retrieval_failing(const ClusterVersion& cluster);

// Newest first; versions that cannot be read last.
std::vector<Release> recommended_updates(const ClusterVersion& cluster);
// Conditional updates that are not Recommended=True, newest first.
std::vector<const ConditionalUpdate*> other_updates(const ClusterVersion& cluster);

struct Verdict {
  std::string status;  // True, False or Unknown
  std::string reason;
  std::string message;
};
Verdict verdict_on(const ConditionalUpdate& update);

// The version, or the image of a release that has none.
std::string name_of(const Release& release);
std::string versions_text(const std::vector<Release>& releases);  // 4.6.43, 4.6.42

// Lines after the first are indented; empty ones stay empty.
std::string indented(std::string_view text, std::size_t blanks);
// "  Reason: …\n  Message: …"
std::string reason_text(std::string_view reason, std::string_view message);
std::string reason_text(const kube::Condition& condition);

// Whether an update was asked for or begun, and is not at its end.
bool is_updating(const ClusterVersion& cluster);
// Whether spec.desiredUpdate asks for what status.desired is.
bool is_reached(const DesiredUpdate& wanted, const Release& desired);
bool asks_for_update(const ClusterVersion& cluster);

}  // namespace fairway::clusterversion::upgrade
