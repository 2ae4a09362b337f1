#include "fleet/path.hpp"

#include <algorithm>

#include "fleet/works.hpp"

namespace fairway::fleet {

Path::Path(const Observed& seen, const ClusterGroupUpgradeStatus& status)
    : is_of_works_(rolls_works(seen.rollout->spec)) {
  if (!is_of_works_) {
    for (const PolicyReference& each : status.managed_policies_for_upgrade) {
      names_.push_back(each.name);
      policies_.push_back(find_policy(seen.policies, each.namespace_, each.name));
    }
    return;
  }
  names_ = seen.rollout->spec.manifest_work_templates;
  works_.resize(names_.size());
  std::map<std::string, std::size_t> steps;
  for (std::size_t i = 0; i < names_.size(); ++i) steps.emplace(work_name(*seen.rollout, names_[i]), i);
  for (const auto& each : seen.works) {
    const auto step = steps.find(std::string(kube::name_of(*each)));
    if (step != steps.end()) works_[step->second][std::string(kube::namespace_of(*each))] = each.get();
  }
}

Compliance Path::on(std::size_t step, std::string_view cluster) const {
  if (!is_of_works_) {
    const PolicyView* policy = policies_[step];
    return policy == nullptr ? Compliance::Unknown : policy->compliance_on(cluster);
  }
  const auto work = works_[step].find(cluster);
  if (work == works_[step].end() || kube::is_being_deleted(*work->second)) return Compliance::NonCompliant;
  return is_through(*work->second) ? Compliance::Compliant : Compliance::NonCompliant;
}

std::optional<Duration> Path::soak(std::size_t step) const {
  if (is_of_works_ || policies_[step] == nullptr || !policies_[step]->root) return std::nullopt;
  return policies_[step]->root->soak;
}

bool Path::needs_work(std::string_view cluster) const {
  if (is_of_works_) return true;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is_done(on(i, cluster))) return true;
  }
  return false;
}

std::optional<std::int64_t> Path::index_of_late(const ClusterRow& row) const {
  if (row.state != kTimedOut) return std::nullopt;
  const std::string* at = nullptr;
  if (is_of_works_ && row.current_manifest_work) at = &row.current_manifest_work->name;
  if (!is_of_works_ && row.current_policy) at = &row.current_policy->name;
  if (at == nullptr) return std::nullopt;
  return std::ranges::find(names_, *at) - names_.begin();
}

void Path::put_place(ClusterRow& row, std::int64_t index) const {
  const auto step = static_cast<std::size_t>(index);
  if (step >= size()) return;
  if (!is_of_works_) {
    row.current_policy = CurrentPolicy{names_[step], "NonCompliant"};
    return;
  }
  row.current_manifest_work = CurrentManifestWork{names_[step]};
  const auto work = works_[step].find(row.name);
  if (work == works_[step].end()) return;
  if (const json::Object* status = json::get_object(*work->second, {"status", "resourceStatus"}))
    row.current_manifest_work->status = *status;
}

const RolloutWords& words_of(const ClusterGroupUpgradeSpec& spec) {
  static constexpr RolloutWords kPolicies{"Remediating non-compliant policies",
                                          "All clusters are compliant with all the managed policies",
                                          "Policy remediation took too long"};
  static constexpr RolloutWords kWorks{"Rolling out manifestworks",
                                       "All manifestworks rolled out successfully on all clusters",
                                       "Manifestwork rollout took too long"};
  return rolls_works(spec) ? kWorks : kPolicies;
}

}  // namespace fairway::fleet
