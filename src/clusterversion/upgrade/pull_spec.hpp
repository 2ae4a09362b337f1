// Pull specifications as a person types them: host/name:tag or host/name@sha256:…, checked before a cluster
// is asked for them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::clusterversion::upgrade {

struct PullSpec {
  std::string name;  // with the registry, when it is given
  std::string tag = {};
  std::string digest = {};
};

// The error's message is what container tools say: "invalid reference format".
Result<PullSpec> parse_pull_spec(std::string_view text);

}  // namespace fairway::clusterversion::upgrade
