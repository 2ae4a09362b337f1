// The channel that updates are looked for in, and the risks that an administrator accepts by name: two more
// fields of the spec that the command edits, with the checks that a typing error needs. Pure.
#pragma once

#include <string>
#include <vector>

#include "clusterversion/types.hpp"
#include "clusterversion/upgrade/outcome.hpp"

namespace fairway::clusterversion::upgrade {

// An empty name clears the channel. A name that the running release does not list needs `allow_explicit`.
Outcome set_channel(const ClusterVersion& cluster, const std::string& name, bool allow_explicit);

struct AcceptFlags {
  std::vector<std::string> risks = {};  // each a list with commas; a name with a dash behind it is taken back
  bool replace = false;
  bool clear = false;
};
Outcome accept_risks(const ClusterVersion& cluster, const AcceptFlags& flags);

}  // namespace fairway::clusterversion::upgrade
