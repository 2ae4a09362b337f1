// From a policy's templates to the objects that they are about, in this cluster (spec 5.3 and 5.8). Pure.
//
// What is not known yet is asked for: prepare() is called again with the answers until nothing is missing.
// Definitions that are templates over the object itself (.ObjectName, .Object) are completed by
// resolve_objects(), when the live objects are there. Encrypted values are read with the cipher that is
// given; a template that has any is marked, and no fault of it quotes a value.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fleet/agent/namespaces.hpp"
#include "fleet/agent/observed.hpp"
#include "fleet/templates/templates.hpp"

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
  std::set<templates::Lookup> asked = {};                  // by templates
  std::set<templates::Lookup> missing = {};                // of these, to be answered

  bool is_complete() const { return unknown_kinds.empty() && missing.empty(); }
};

Preparation prepare(const Configuration& configuration, const std::vector<NamespaceFacts>& namespaces,
                    const KnownKinds& kinds, const templates::Answers& answers = {},
                    const templates::Cipher& decrypt = {}, std::optional<WallTime> now = {});
// What templates take for now: the minute. What one writes would else differ from what the next look wants,
// and each write is another look.
WallTime template_time(WallTime now);
// Whether there is anything to decrypt.
bool has_encrypted(const Configuration& configuration);
// Whether all of it can be.
Result<void> check_encrypted(const Configuration& configuration, const templates::Cipher& decrypt);

// The lookups of templates over objects, and which of them miss their answers.
struct ObjectLookups {
  std::set<templates::Lookup> asked = {};
  std::set<templates::Lookup> missing = {};
};
// Completes the targets of a template over objects; gives others back as they are. While answers are missing
// what it gives is not to be used.
PreparedTemplate resolve_objects(const PreparedTemplate& prepared, const templates::Answers& answers,
                                 ObjectLookups& lookups, const templates::Cipher& decrypt = {},
                                 std::optional<WallTime> now = {});

}  // namespace fairway::fleet::agent
