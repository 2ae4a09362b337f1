// Whether the policies of a rollout can be rolled out, and which of them have to be. Pure.
//
// A policy is left out only when every selected cluster is known to comply; whether some child is enforced at
// the moment, by another rollout perhaps, does not count. The texts are those of condition Validated.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "fleet/policies.hpp"
#include "fleet/types.hpp"

namespace fairway::fleet {

struct PolicyVerdict {
  std::vector<PolicyReference> for_upgrade = {};
  std::vector<std::string> compliant_before = {};
  std::map<std::string, std::string> namespaces = {};  // of those for the upgrade, by name
  std::map<std::string, std::string> content = {};

  std::string reason = {};  // why it is not valid; empty: it is
  std::string message = {};
  std::string kind = {};  // "missing policies", …; empty when no event tells it
  std::vector<std::string> culprits = {};
  Duration retry = {};  // when nothing wakes the rollout before

  bool is_valid() const { return reason.empty(); }
};

// `is_image_found`: what the update graph says of a release that is named by version; nothing: not asked.
PolicyVerdict validate_policies(const ClusterGroupUpgradeSpec& spec, const std::vector<std::string>& selected,
                                const Policies& policies, std::optional<bool> is_image_found = {});

// The release that the policies ask for; `problem` says what is wrong with it.
struct PlatformVerdict {
  PlatformFields fields = {};
  bool needs_lookup = false;  // by upstream, channel and version
  std::string problem = {};
};
PlatformVerdict judge_platform(const std::vector<PlatformFields>& asked, bool is_pre_caching);

}  // namespace fairway::fleet
