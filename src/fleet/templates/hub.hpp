// Hub templates of a child policy: {{hub … hub}} in its policy-templates, resolved for one cluster before the
// child is written (spec 5.8). Pure; used by the propagator.
//
// A template that fails keeps its text and carries the reason in kHubTemplatesError, which the agent reports
// and a rollout's validation finds. Lookups are asked for as in templates.hpp. Unless the policy names a
// service account (whose rights the caller then uses), only the policy's own namespace and the cluster's
// ManagedCluster may be looked up.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/templates/templates.hpp"
#include "json/value.hpp"

namespace fairway::fleet::templates {

inline constexpr std::string_view kHubTemplatesError =
    "policy.open-cluster-management.io/hub-templates-error";
// Of a child that uses protect, and of what its cluster makes of it: the initialization vector, in base64.
inline constexpr std::string_view kEncryptionVector = "policy.open-cluster-management.io/encryption-iv";
inline constexpr std::string_view kDisableTemplates = "policy.open-cluster-management.io/disable-templates";

struct HubFacts {
  std::string cluster = {};          // .ManagedClusterName
  json::Object cluster_labels = {};  // .ManagedClusterLabels
  json::Object root = {};            // the root policy: .PolicyMetadata, and the namespace that may be read
  Cipher encrypt = {};               // for protect, with the key of the cluster
};

struct HubResolution {
  json::Object child = {};  // not to be used while answers are missing
  std::set<Lookup> asked = {};
  std::vector<Lookup> missing = {};
  bool misses_key = false;     // protect is used and the facts have nothing to encrypt with: likewise
  bool has_encrypted = false;  // protect was used
  std::vector<std::string> errors = {};  // of templates, for people
};

// Whether the child has hub templates that are to be resolved.
bool has_hub_templates(const json::Object& child);
HubResolution resolve_hub_templates(const json::Object& child, const HubFacts& facts, const Answers& answers,
                                    const Limits& limits = {});

}  // namespace fairway::fleet::templates
