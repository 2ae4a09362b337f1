#include "fleet/hub/placement_decide.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "fleet/hub/kinds.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::fleet {
namespace {

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestName = 253;

struct Verdict {
  std::vector<std::string> clusters = {};  // sorted
  bool is_true = false;
  std::string reason = {};
  std::string message = {};
};

// Which clusters are chosen, and why not more.
class Choice {
 public:
  Choice(const PlacementObserved& seen, kube::Plan<PlacementAction>& plan,
         const std::set<std::string>& chosen_before)
      : seen_(seen), request_(*seen.request), plan_(plan), before_(chosen_before) {}

  Verdict run() {
    if (!judge_sets()) return std::move(out_);
    std::vector<const ClusterFacts*> fit;
    for (const Cluster& each : seen_.candidates) {
      if (is_fit(*each)) fit.push_back(each.get());
    }
    // What was chosen stays chosen; of the others, those that would rather not be are last.
    std::ranges::stable_sort(fit, {}, [&](const ClusterFacts* each) {
      return std::pair(!before_.contains(each->name), prefers_not(*each));
    });
    const std::size_t limit =
        request_.limit ? static_cast<std::size_t>(std::max<std::int64_t>(*request_.limit, 0)) : fit.size();
    for (std::size_t i = 0; i < std::min(limit, fit.size()); ++i) out_.clusters.push_back(fit[i]->name);
    std::ranges::sort(out_.clusters);
    if (fit.empty()) {
      say(false, "NoManagedClusterMatched", "No ManagedCluster matches any of the cluster predicate");
    } else if (limit > fit.size()) {
      say(false, "NotAllDecisionsScheduled",
          fmt::format("{} cluster decisions unscheduled", limit - fit.size()));
    } else {
      say(true, "AllDecisionsScheduled", "All cluster decisions scheduled");
    }
    return std::move(out_);
  }

 private:
  void say(bool is_true, std::string_view reason, std::string message) {
    out_.is_true = is_true;
    out_.reason = std::string(reason);
    out_.message = std::move(message);
  }

  bool judge_sets() {
    if (!seen_.sets) return true;
    if (seen_.sets->empty()) {
      say(false, "NoManagedClusterSetBindings",
          "No valid ManagedClusterSetBindings found in placement namespace");
      return false;
    }
    std::vector<std::string> names;
    for (const BoundSet& each : *seen_.sets) {
      if (is_wanted(each)) names.push_back(each.name);
    }
    if (names.empty()) {
      say(false, "NoIntersection",
          fmt::format("None of ManagedClusterSets [{}] is bound to placement namespace",
                      fmt::join(request_.cluster_sets, ",")));
      return false;
    }
    if (!seen_.has_members) {
      say(false, "AllManagedClusterSetsEmpty",
          fmt::format("All ManagedClusterSets [{}] have no member ManagedCluster", fmt::join(names, ",")));
      return false;
    }
    return true;
  }

  bool is_wanted(const BoundSet& set) const {
    return request_.cluster_sets.empty() ||
           std::ranges::find(request_.cluster_sets, set.name) != request_.cluster_sets.end();
  }

  bool is_member(const ClusterFacts& cluster) const {
    if (!seen_.sets) return true;
    return std::ranges::any_of(*seen_.sets, [&](const BoundSet& each) {
      return is_wanted(each) && cluster.matches_labels(each.members);
    });
  }

  bool is_tolerated(const Taint& taint) {
    for (const Toleration& each : request_.tolerations) {
      if (!each.covers(taint)) continue;
      if (!each.lasts || !taint.added) return true;
      const WallTime ends = *taint.added + *each.lasts;
      if (seen_.now >= ends) continue;
      plan_.wake(ends, "a taint is put up with until then");
      return true;
    }
    return false;
  }

  bool is_fit(const ClusterFacts& cluster) {
    if (cluster.is_being_deleted || !is_member(cluster) || !request_.matches(cluster)) return false;
    // Rules are older than taints and know nothing of them.
    if (request_.kind == PlacementKind::PlacementRule) return true;
    return std::ranges::all_of(cluster.taints, [&](const Taint& each) {
      const bool keeps_away =
          each.effect == "NoSelect" || (each.effect == "NoSelectIfNew" && !before_.contains(cluster.name));
      return !keeps_away || is_tolerated(each);
    });
  }

  bool prefers_not(const ClusterFacts& cluster) const {
    return std::ranges::any_of(cluster.taints, [&](const Taint& taint) {
      const auto covers = [&](const Toleration& each) { return each.covers(taint); };
      return taint.effect == "PreferNoSelect" && std::ranges::none_of(request_.tolerations, covers);
    });
  }

  const PlacementObserved& seen_;
  const PlacementRequest& request_;
  kube::Plan<PlacementAction>& plan_;
  const std::set<std::string>& before_;
  Verdict out_;
};

std::string decision_name(std::string_view placement, std::size_t number) {
  const std::string end = fmt::format("-decision-{}", number);
  return std::string(placement.substr(0, kLongestName - end.size())) + end;
}

json::Object new_decision(const json::Object& placement, std::size_t number) {
  // What is too long for a label is found by its owner.
  std::string label(kube::name_of(placement).substr(0, kLongestLabel));
  while (!label.empty() && !kube::is_label_value(label)) label.pop_back();
  json::Object labels;
  labels[kPlacementLabel] = label;
  labels["cluster.open-cluster-management.io/decision-group-index"] = "0";
  labels["cluster.open-cluster-management.io/decision-group-name"] = "";
  json::Object made{{"apiVersion", kPlacementDecisions.kind.api_version()},
                    {"kind", kPlacementDecisions.kind.kind}};
  made["metadata"] = json::Object{{"name", decision_name(kube::name_of(placement), number)},
                                  {"namespace", kube::namespace_of(placement)},
                                  {"labels", std::move(labels)}};
  json::ensure_object(made, {"metadata"})["ownerReferences"] =
      json::Array{json::to_json(kube::controller_reference(placement))};
  return made;
}

// The decision objects, each with what it names already as far as it is still chosen.
class Slices {
 public:
  Slices(const PlacementObserved& seen, const std::vector<std::string>& chosen)
      : seen_(seen), left_(chosen.begin(), chosen.end()) {
    for (const auto& each : seen.decisions) {
      if (!kube::is_being_deleted(*each)) slices_.push_back({each, decided_clusters(*each), {}});
    }
    // decision-2 before decision-10
    std::ranges::sort(slices_, {}, [](const Slice& each) {
      const std::string_view name = kube::name_of(*each.object);
      return std::pair(name.size(), name);
    });
  }

  void plan(kube::Plan<PlacementAction>& plan) {
    keep();
    fill();
    for (std::size_t i = 0; i < slices_.size(); ++i) write(slices_[i], i == 0, plan);
    for (std::size_t number = 1; !left_.empty(); ++number) {
      if (is_taken(number)) continue;
      CreateDecision made{new_decision(*seen_.placement, number), {}};
      while (!left_.empty() && made.clusters.size() < kDecisionsEach)
        made.clusters.push_back(std::move(left_.extract(left_.begin()).value()));
      plan.actions.emplace_back(std::move(made));
    }
  }

 private:
  struct Slice {
    PlacementObserved::Object object;
    std::vector<std::string> before;
    std::vector<std::string> after;
  };

  void keep() {
    for (Slice& slice : slices_) {
      for (const std::string& each : slice.before) {
        if (left_.erase(each) > 0) slice.after.push_back(each);
      }
    }
  }

  void fill() {
    for (Slice& slice : slices_) {
      while (!left_.empty() && slice.after.size() < kDecisionsEach)
        slice.after.push_back(std::move(left_.extract(left_.begin()).value()));
      std::ranges::sort(slice.after);
    }
  }

  // One stays when there is nothing to say: it is written again sooner or later.
  static void write(const Slice& slice, bool is_first, kube::Plan<PlacementAction>& plan) {
    const kube::ObjectKey key = kube::key_of(*slice.object);
    if (slice.after.empty() && !is_first) {
      plan.actions.emplace_back(DeleteDecision{key, std::string(kube::uid_of(*slice.object))});
    } else if (slice.after != slice.before || json::find(*slice.object, {"status"}) == nullptr) {
      plan.actions.emplace_back(
          WriteDecision{key, std::string(kube::resource_version_of(*slice.object)), slice.after});
    }
  }

  bool is_taken(std::size_t number) const {
    const std::string name = decision_name(seen_.key.name, number);
    return std::ranges::any_of(seen_.decisions,
                               [&](const auto& each) { return kube::name_of(*each) == name; });
  }

  const PlacementObserved& seen_;
  std::vector<Slice> slices_;
  std::set<std::string> left_;
};

void put_condition(kube::Conditions& conditions, std::string_view type, const Verdict& verdict,
                   WallTime now) {
  kube::set_condition(conditions,
                      {.type = std::string(type),
                       .status = std::string(verdict.is_true ? kube::kConditionTrue : kube::kConditionFalse),
                       .reason = verdict.reason,
                       .message = verdict.message},
                      now);
}

// Members of the status that are to be written; empty when all are as they should be.
json::Object placement_status(const PlacementObserved& seen, const Verdict& verdict) {
  const json::Object& placement = *seen.placement;
  kube::Conditions conditions = kube::conditions_of(placement);
  const kube::Conditions before = conditions;
  const bool is_misread = !seen.request->problem.empty();
  put_condition(conditions, "PlacementMisconfigured",
                is_misread ? Verdict{{}, true, "Misconfigured", seen.request->problem}
                           : Verdict{{}, false, "Succeedconfigured", "Placement configurations check pass"},
                seen.now);
  if (!is_misread) put_condition(conditions, "PlacementSatisfied", verdict, seen.now);
  json::Object status;
  if (conditions != before) status["conditions"] = json::to_json(conditions);
  const auto number = static_cast<std::int64_t>(verdict.clusters.size());
  const auto told = json::get_int(placement, {"status", "numberOfSelectedClusters"});
  if (is_misread) {
    if (!told) status["numberOfSelectedClusters"] = 0;
    return status;
  }
  if (told != number) status["numberOfSelectedClusters"] = number;
  return status;
}

json::Object rule_status(const PlacementObserved& seen, const Verdict& verdict) {
  json::Array rows;
  for (const std::string& each : verdict.clusters)
    rows.push_back(json::Object{{"clusterName", each}, {"clusterNamespace", each}});
  const json::Array* before = json::get_array(*seen.placement, {"status", "decisions"});
  json::Object status;
  if (!json::same_value(before == nullptr ? json::Array() : *before, rows)) status["decisions"] = rows;
  return status;
}

void decide_chosen(const PlacementObserved& seen, kube::Plan<PlacementAction>& plan) {
  const bool is_rule = seen.request->kind == PlacementKind::PlacementRule;
  std::set<std::string> before;
  for (const auto& each : seen.decisions) {
    for (std::string& cluster : decided_clusters(*each)) before.insert(std::move(cluster));
  }
  if (is_rule) {
    for (std::string& cluster : decided_clusters(*seen.placement)) before.insert(std::move(cluster));
  }
  const bool is_misread = !seen.request->problem.empty();
  const Verdict verdict = is_misread ? Verdict{} : Choice(seen, plan, before).run();
  if (is_misread) plan.notes.push_back(seen.request->problem);
  if (!is_rule && !is_misread) Slices(seen, verdict.clusters).plan(plan);
  if (is_rule && is_misread) return;
  json::Object status = is_rule ? rule_status(seen, verdict) : placement_status(seen, verdict);
  if (status.empty()) return;
  plan.actions.emplace_back(WritePlacementStatus{seen.request->kind, seen.key,
                                                 std::string(kube::resource_version_of(*seen.placement)),
                                                 std::move(status)});
}

struct Describe {
  std::string operator()(const CreateDecision& action) const {
    return fmt::format("create PlacementDecision {} of {} clusters", kube::key_of(action.object).to_string(),
                       action.clusters.size());
  }
  std::string operator()(const WriteDecision& action) const {
    return fmt::format("PlacementDecision {} names {} clusters", action.key.to_string(),
                       action.clusters.size());
  }
  std::string operator()(const DeleteDecision& action) const {
    return fmt::format("delete PlacementDecision {}", action.key.to_string());
  }
  std::string operator()(const WritePlacementStatus& action) const {
    return fmt::format("write the status of {} {}", to_string(action.kind), action.key.to_string());
  }
};

}  // namespace

std::string describe(const PlacementAction& action) {
  return std::visit(Describe{}, action);
}

std::size_t stage_of(const PlacementAction& action) {
  return std::holds_alternative<WritePlacementStatus>(action) ? 1 : 0;
}

kube::Plan<PlacementAction> decide_placement(const PlacementObserved& seen) {
  kube::Plan<PlacementAction> plan;
  if (!seen.placement || kube::is_being_deleted(*seen.placement)) {
    // The garbage collector does the same, where there is one.
    for (const auto& each : seen.decisions) {
      if (!kube::is_being_deleted(*each))
        plan.actions.emplace_back(DeleteDecision{kube::key_of(*each), std::string(kube::uid_of(*each))});
    }
    return plan;
  }
  decide_chosen(seen, plan);
  return plan;
}

std::vector<std::string> decided_clusters(const json::Object& object) {
  std::vector<std::string> out;
  const json::Array* rows = json::get_array(object, {"status", "decisions"});
  if (rows == nullptr) return out;
  out.reserve(rows->size());
  for (const json::Value& each : *rows) {
    if (!each.is_object()) continue;
    if (const auto name = json::get_string(each.get_object(), {"clusterName"})) out.emplace_back(*name);
  }
  return out;
}

json::Array decision_rows(const std::vector<std::string>& clusters) {
  json::Array rows;
  rows.reserve(clusters.size());
  for (const std::string& each : clusters)
    rows.push_back(json::Object{{"clusterName", each}, {"reason", ""}});
  return rows;
}

std::string placement_of(const json::Object& decision) {
  const auto owner = kube::controller_of(decision);
  if (owner && owner->kind == to_string(PlacementKind::Placement)) return owner->name;
  return std::string(kube::label(decision, kPlacementLabel).value_or(""));
}

}  // namespace fairway::fleet
