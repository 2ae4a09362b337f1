// PolicyRule: what a Role or ClusterRole allows, and how rules compare with one another.
//
// Matching is that of Kubernetes: `*` stands for all verbs, groups or resources, `*/scale` for one
// subresource of all resources, a URL may end in `*`. Rules only ever allow. Pure values.
#pragma once

#include <string>
#include <vector>

#include "apiserver/identity.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

struct PolicyRule {
  std::vector<std::string> verbs = {};
  std::vector<std::string> api_groups = {};
  std::vector<std::string> resources = {};
  std::vector<std::string> resource_names = {};
  std::vector<std::string> non_resource_urls = {};

  // A rule that cannot be read allows nothing.
  static PolicyRule from(const json::Object& object);
  json::Object to_json() const;

  bool allows(const AccessRequest& request) const;
  // Whether everything that the other one allows is allowed by this one alone.
  bool covers(const PolicyRule& other) const;
  // {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}
  std::string describe() const;

  bool operator==(const PolicyRule&) const = default;
};

using PolicyRules = std::vector<PolicyRule>;

// The `rules` of a Role or ClusterRole as they are written there.
PolicyRules rules_in(const json::Object& role);

// What of the wanted rules the held ones do not allow, in as few rules as can be; empty when all is held.
PolicyRules missing_rights(const PolicyRules& held, const PolicyRules& wanted);

// ["a" "b"], as Go writes a list of texts.
std::string go_list(const std::vector<std::string>& texts);

}  // namespace fairway::apiserver
