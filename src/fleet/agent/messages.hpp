// What a policy's status says of its templates, in the words that its users know (spec 5.7). Pure.
#pragma once

#include <string>
#include <vector>

#include "fleet/agent/verdicts.hpp"

namespace fairway::fleet::agent {

inline constexpr std::size_t kMostMessageBytes = 4096;
inline constexpr const char* kUnknownMessage = "ComplianceState is still unknown";

// About one template.
struct Finding {
  bool is_compliant = true;
  std::string reason = {};
  std::string message = {};
  bool operator==(const Finding&) const = default;
};

// With `before_acting`, as it was found at the start of the pass.
Finding finding_of(const PreparedTemplate& prepared, const std::vector<Verdict>& verdicts,
                   bool before_acting = false);

// "violation - namespaces [foo] not found; notification - …".
std::string default_message(const std::vector<Finding>& findings);
// By customMessage, a template over .DefaultMessage and .Policy; where that fails, the usual message and why.
std::string custom_message(std::string_view text, const std::string& usual, const json::Object& policy);
// "NonCompliant; " and the message, cut where it is too long.
std::string policy_message(bool is_compliant, std::string_view message);

// Of an entry of status.relatedObjects.
std::string_view related_reason(State state);

}  // namespace fairway::fleet::agent
