// The request: from the flags of the command and a ClusterVersion to the change of spec.desiredUpdate, or to
// a refusal that names the flag which overrides it. Pure.
//
// An update that is not recommended for this cluster is refused with an exit code of its own until it is
// allowed by name. Patches name only the fields that they mean: what else the object holds stays as it is.
#pragma once

#include <optional>
#include <string>

#include "clusterversion/types.hpp"
#include "clusterversion/upgrade/outcome.hpp"

namespace fairway::clusterversion::upgrade {

struct RequestFlags {
  std::string to = {};
  std::string to_image = {};
  bool to_latest = false;
  bool to_multi_arch = false;
  bool clear = false;
  bool force = false;
  bool allow_explicit_upgrade = false;
  bool allow_upgrade_with_warnings = false;
  bool allow_not_recommended = false;

  // Whether anything is to be changed; otherwise the updates are listed.
  bool asks_for_change() const;
};

// What is wrong with the flags by themselves, whatever the cluster; nothing when they fit together.
std::optional<std::string> fault_of(const RequestFlags& flags);

// For flags without a fault that ask for a change.
Outcome request_update(const ClusterVersion& cluster, const RequestFlags& flags);

// To the release before this one, within its minor version.
Outcome request_rollback(const ClusterVersion& cluster);

}  // namespace fairway::clusterversion::upgrade
