// From a policy's templates to the objects that they are about, in this cluster (spec 5.3). Pure.
//
// What is not known yet is asked for: prepare() is called again with the answers until nothing is missing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/agent/namespaces.hpp"
#include "fleet/agent/observed.hpp"

namespace fairway::fleet::agent {

struct KindFacts {
  std::string resource;  // plural
  bool is_namespaced = true;
};
// Nothing: the server does not have the kind.
using KnownKinds = std::map<kube::GroupVersionKind, std::optional<KindFacts>>;

struct Preparation {
  std::vector<PreparedTemplate> templates = {};
  std::vector<std::string> namespaces = {};                // that the policy selects
  std::vector<kube::GroupVersionKind> unknown_kinds = {};  // to be asked for
  bool lacks_kinds = false;                                // the server has not all of them

  bool is_complete() const { return unknown_kinds.empty(); }
};

Preparation prepare(const Configuration& configuration, const std::vector<NamespaceFacts>& namespaces,
                    const KnownKinds& kinds);

}  // namespace fairway::fleet::agent
