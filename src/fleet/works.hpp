// Rollouts of manifest works: instead of enforcing policies, each cluster is given one ManifestWork after the
// other, made from templates (ManifestWorkReplicaSets of the rollout's namespace). Pure.
//
// A work is through when it is applied and available and the values that come back from the cluster are the
// ones that its template's annotation expects. The work before it is taken away when the next one is due.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/types.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kWorkKind = "ManifestWork";
inline constexpr std::string_view kExpectedValues = "openshift-cluster-group-upgrades/expectedValues";

using Works = std::vector<std::shared_ptr<const json::Object>>;
using WorkTemplates = std::map<std::string, std::shared_ptr<const json::Object>, std::less<>>;

bool rolls_works(const ClusterGroupUpgradeSpec& spec);

// Of the work that is made from a template; the same in every cluster.
std::string work_name(const ClusterGroupUpgrade& rollout, std::string_view template_name);
json::Object desired_work(const ClusterGroupUpgrade& rollout, const json::Object& work_template,
                          std::string_view cluster);
// What cannot be read is not through.
bool is_through(const json::Object& work);

// Templates that are asked for and not there.
std::vector<std::string> missing_templates(const ClusterGroupUpgradeSpec& spec,
                                           const WorkTemplates& templates);

}  // namespace fairway::fleet
