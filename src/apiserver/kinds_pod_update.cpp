// What of a pod may change: images, a deadline that comes nearer, more tolerations, fewer scheduling gates,
// and as long as there are such gates a narrower choice of nodes.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "apiserver/kinds_pod.hpp"
#include "base/text.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::string_view kMayChange =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

FieldErrors check_same_count(const Object& before, const Object& spec, std::string_view list) {
  if (array_at(before, {list}).size() == array_at(spec, {list}).size()) return {};
  return {
      FieldError::forbidden(json::child_path("spec", list), "pod updates may not add or remove containers")};
}

FieldErrors check_deadline(const Object& before, const Object& spec) {
  const std::string field = "spec.activeDeadlineSeconds";
  const auto old = json::get_int(before, {"activeDeadlineSeconds"});
  const auto now = json::get_int(spec, {"activeDeadlineSeconds"});
  if (!now) {
    if (!old) return {};
    return {
        FieldError::invalid(field, Value(nullptr), "must not update from a positive integer to nil value")};
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (*now < 0 || *now > kMost) {
    return {
        FieldError::invalid(field, Value(*now), fmt::format("must be between 0 and {}, inclusive", kMost))};
  }
  if (old && *old < *now) {
    return {FieldError::invalid(field, Value(*now), "must be less than or equal to previous value")};
  }
  return {};
}

// A toleration is the same with other seconds: those may change.
bool is_same_toleration(const Value& left, const Value& right) {
  if (!left.is_object() || !right.is_object()) return false;
  Object one = left.get_object();
  Object other = right.get_object();
  json::remove(one, "tolerationSeconds");
  json::remove(other, "tolerationSeconds");
  return json::same_value(one, other);
}

FieldErrors check_tolerations(const Object& before, const Object& spec) {
  const Array& now = array_at(spec, {"tolerations"});
  for (const Value& old : array_at(before, {"tolerations"})) {
    const bool is_kept =
        std::ranges::any_of(now, [&](const Value& each) { return is_same_toleration(old, each); });
    if (is_kept) continue;
    return {FieldError::forbidden("spec.tolerations",
                                  "existing toleration can not be modified except its tolerationSeconds")};
  }
  return {};
}

FieldErrors check_gates(const Object& before, const Object& spec) {
  const Array& old = array_at(before, {"schedulingGates"});
  FieldErrors errors;
  const Array& now = array_at(spec, {"schedulingGates"});
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool is_known =
        std::ranges::any_of(old, [&](const Value& each) { return json::same_value(each, now[i]); });
    if (is_known) continue;
    errors.push_back(FieldError::forbidden(
        json::index_path("spec.schedulingGates", i),
        fmt::format("only deletion is allowed, but found new scheduling gate '{}'",
                    now[i].is_object() ? json::text_at(now[i].get_object(), {"name"}) : "")));
  }
  return errors;
}

FieldErrors check_node_selector(const Object& before, const Object& spec) {
  const Object& now = object_at(spec, {"nodeSelector"});
  for (const auto& [key, value] : object_at(before, {"nodeSelector"})) {
    const Value* kept = now.if_contains(key);
    if (kept != nullptr && *kept == value) continue;
    return {
        FieldError::invalid("spec.nodeSelector", Value(now),
                            "only additions to spec.nodeSelector are allowed (no mutations or deletions)")};
  }
  return {};
}

// The first requirements are those that were there before.
bool has_only_additions(const Object& before, const Object& now) {
  const auto count = [](const Object& term) {
    return array_at(term, {"matchExpressions"}).size() + array_at(term, {"matchFields"}).size();
  };
  if (count(before) == 0) return count(now) == 0;
  for (const std::string_view list : {"matchExpressions", "matchFields"}) {
    const Array& old = array_at(before, {list});
    const Array& all = array_at(now, {list});
    if (all.size() < old.size()) return false;
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (!json::same_value(old[i], all[i])) return false;
    }
  }
  return true;
}

FieldErrors check_node_affinity(const Object& before, const Object& spec) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::string path = fmt::format("spec.affinity.nodeAffinity.{}.nodeSelectorTerms", kRequired);
  const Array& old = array_at(before, {"affinity", "nodeAffinity", kRequired, "nodeSelectorTerms"});
  const Array& now = array_at(spec, {"affinity", "nodeAffinity", kRequired, "nodeSelectorTerms"});
  if (old.empty()) return {};
  if (old.size() != now.size()) {
    return {FieldError::invalid(path, Value(now),
                                "no additions/deletions to non-empty NodeSelectorTerms list are allowed")};
  }
  FieldErrors errors;
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!old[i].is_object() || !now[i].is_object()) continue;
    if (has_only_additions(old[i].get_object(), now[i].get_object())) continue;
    errors.push_back(FieldError::invalid(json::index_path(path, i), now[i],
                                         "only additions are allowed (no mutations or deletions)"));
  }
  return errors;
}

void copy_field(const Object& from, Object& to, std::string_view field) {
  if (const Value* value = from.if_contains(field)) {
    to[field] = *value;
  } else {
    json::remove(to, field);
  }
}

void copy_images(const Object& before, Object& spec, std::string_view list) {
  Array* containers = find_array(spec, {list});
  const Array& old = array_at(before, {list});
  if (containers == nullptr) return;
  for (std::size_t i = 0; i < std::min(containers->size(), old.size()); ++i) {
    if ((*containers)[i].is_object() && old[i].is_object()) {
      copy_field(old[i].get_object(), (*containers)[i].get_object(), "image");
    }
  }
}

void copy_node_affinity(const Object& before, Object& spec) {
  const Object* old = json::get_object(before, {"affinity", "nodeAffinity"});
  if (old != nullptr) {
    json::ensure_object(spec, {"affinity"})["nodeAffinity"] = *old;
    return;
  }
  Value* affinity = spec.if_contains("affinity");
  if (affinity == nullptr || !affinity->is_object()) return;
  json::remove(affinity->get_object(), "nodeAffinity");
  if (affinity->get_object().empty() && !before.contains("affinity")) json::remove(spec, "affinity");
}

// The spec with everything as it was that was found to be a lawful change.
Object without_lawful_changes(const Object& before, const Object& spec) {
  Object rest = spec;
  copy_images(before, rest, "containers");
  copy_images(before, rest, "initContainers");
  for (const std::string_view field : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    copy_field(before, rest, field);
  }
  const bool was_negative = json::get_int(before, {"terminationGracePeriodSeconds"}).value_or(0) < 0;
  if (was_negative && json::get_int(rest, {"terminationGracePeriodSeconds"}) == 1) {
    copy_field(before, rest, "terminationGracePeriodSeconds");
  }
  if (!array_at(before, {"schedulingGates"}).empty()) {
    copy_field(before, rest, "nodeSelector");
    copy_node_affinity(before, rest);
  }
  return rest;
}

std::vector<std::string> changed_fields(const Object& before, const Object& spec) {
  std::vector<std::string> fields;
  for (const auto& [key, value] : spec) {
    const Value* old = before.if_contains(key);
    if (old == nullptr || !json::same_value(*old, value)) fields.push_back(json::child_path("spec", key));
  }
  for (const auto& [key, value] : before) {
    if (!spec.contains(key)) fields.push_back(json::child_path("spec", key));
  }
  std::ranges::sort(fields);
  return fields;
}

}  // namespace

FieldErrors validate_pod_update(const Object& old_pod, const Object& pod) {
  const Object& before = object_at(old_pod, {"spec"});
  const Object& spec = object_at(pod, {"spec"});
  const std::string qos = json::text_at(pod, {"status", "qosClass"});
  FieldErrors errors;
  if (!qos.empty()) append(errors, check_immutable(old_pod, pod, {"status", "qosClass"}, "status.qosClass"));
  if (json::same_value(before, spec)) return errors;
  for (const std::string_view list : {"containers", "initContainers"}) {
    FieldErrors wrong = check_same_count(before, spec, list);
    if (!wrong.empty()) return wrong;
  }
  append(errors, check_deadline(before, spec));
  append(errors, check_tolerations(before, spec));
  append(errors, check_gates(before, spec));
  if (!array_at(before, {"schedulingGates"}).empty()) {
    append(errors, check_node_selector(before, spec));
    append(errors, check_node_affinity(before, spec));
  }
  const Object rest = without_lawful_changes(before, spec);
  if (!json::same_value(before, rest)) {
    errors.push_back(FieldError::forbidden(
        "spec", fmt::format("{}\nchanged: {}", kMayChange, join(changed_fields(before, rest), ", "))));
  }
  return errors;
}

}  // namespace fairway::apiserver::kinds
