#include "fleet/hub/placement_request.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fleet/hub/reading.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

bool has_empty_in(const json::Object& selector) {
  bool found = false;
  each_object(selector, {"matchExpressions"}, [&](const json::Object& each) {
    const json::Array* values = json::get_array(each, {"values"});
    found |= json::text_at(each, {"operator"}) == "In" && (values == nullptr || values->empty());
  });
  return found;
}

class Reader {
 public:
  explicit Reader(PlacementRequest& out) : out_(out) {}

  void read_placement(const json::Object& spec) {
    each_object(spec, {"predicates"}, [&](const json::Object& each) { read_predicate(each); });
    out_.limit = json::get_int(spec, {"numberOfClusters"});
    each_object(spec, {"tolerations"}, [&](const json::Object& each) { read_toleration(each); });
    if (const json::Array* sets = json::get_array(spec, {"clusterSets"})) {
      for (const json::Value& each : *sets) {
        if (each.is_string()) out_.cluster_sets.emplace_back(json::view(each.get_string()));
      }
    }
  }

  void read_rule(const json::Object& spec) {
    PlacementRequest::Predicate predicate;
    if (const json::Object* selector = json::get_object(spec, {"clusterSelector"}))
      predicate.labels = selector_of(*selector);
    out_.predicates.push_back(std::move(predicate));
    each_object(spec, {"clusters"},
                [&](const json::Object& each) { out_.names.push_back(json::text_at(each, {"name"})); });
    out_.limit = json::get_int(spec, {"clusterReplicas"});
    each_object(spec, {"clusterConditions"}, [&](const json::Object& each) {
      out_.conditions.emplace_back(json::text_at(each, {"type"}), json::text_at(each, {"status"}));
    });
  }

 private:
  void fault(std::string text) {
    if (out_.problem.empty()) out_.problem = std::move(text);
  }

  kube::Selector selector_of(const json::Object& selector) {
    auto read = read_selector(&selector);
    if (read) return *std::move(read);
    fault(read.error().message);
    return kube::Selector::nothing();
  }

  void read_predicate(const json::Object& predicate) {
    const json::Object* required = json::get_object(predicate, {"requiredClusterSelector"});
    PlacementRequest::Predicate made;
    if (required != nullptr) {
      const json::Array* expressions = json::get_array(*required, {"celSelector", "celExpressions"});
      if (expressions != nullptr && !expressions->empty())
        fault("celSelector is not understood here; use labelSelector or claimSelector");
      if (const json::Object* labels = json::get_object(*required, {"labelSelector"}))
        made.labels = selector_of(*labels);
      if (const json::Object* claims = json::get_object(*required, {"claimSelector"}))
        made.claims = selector_of(*claims);
    }
    out_.predicates.push_back(std::move(made));
  }

  void read_toleration(const json::Object& object) {
    Toleration made{.key = json::text_at(object, {"key"}),
                    .is_any_value = json::text_at(object, {"operator"}) == "Exists",
                    .value = json::text_at(object, {"value"}),
                    .effect = json::text_at(object, {"effect"})};
    if (const auto seconds = json::get_int(object, {"tolerationSeconds"}))
      made.lasts = std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 0, 3'153'600'000));
    out_.tolerations.push_back(std::move(made));
  }

  PlacementRequest& out_;
};

}  // namespace

bool Toleration::covers(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (key.empty()) return is_any_value;
  return key == taint.key && (is_any_value || value == taint.value);
}

PlacementRequest PlacementRequest::from(const json::Object& placement) {
  PlacementRequest made;
  const bool is_rule = kube::kind_of(placement) == to_string(PlacementKind::PlacementRule);
  made.kind = is_rule ? PlacementKind::PlacementRule : PlacementKind::Placement;
  static const json::Object kNone;
  const json::Object* spec = json::get_object(placement, {"spec"});
  Reader reader(made);
  if (is_rule) {
    reader.read_rule(spec == nullptr ? kNone : *spec);
  } else {
    reader.read_placement(spec == nullptr ? kNone : *spec);
  }
  return made;
}

bool PlacementRequest::matches(const ClusterFacts& cluster) const {
  const auto holds = [&](const Predicate& each) {
    return cluster.matches_labels(each.labels) && cluster.matches_claims(each.claims);
  };
  if (!names.empty() && std::ranges::find(names, cluster.name) == names.end()) return false;
  if (!predicates.empty() && std::ranges::none_of(predicates, holds)) return false;
  return std::ranges::all_of(conditions, [&](const auto& each) {
    const auto found = cluster.conditions.find(each.first);
    return found != cluster.conditions.end() && found->second == each.second;
  });
}

std::optional<std::vector<std::string>> PlacementRequest::required_labels() const {
  std::vector<std::string> all;
  if (limit && *limit <= 0) return all;
  for (const std::string& each : names) all.push_back(ClusterFacts::name_value(each));
  if (!all.empty()) return all;
  if (predicates.empty()) return std::nullopt;
  for (const Predicate& each : predicates) {
    auto values = fleet::required_labels(each.labels);
    if (!values) return std::nullopt;
    all.insert(all.end(), values->begin(), values->end());
  }
  return all;
}

Result<kube::Selector> read_selector(const json::Object* selector) {
  if (selector == nullptr) return kube::Selector();
  if (has_empty_in(*selector)) return kube::Selector::nothing();
  FAIRWAY_TRY(const auto read, json::from_json<kube::LabelSelector>(*selector));
  return kube::Selector::from(read);
}

}  // namespace fairway::fleet
