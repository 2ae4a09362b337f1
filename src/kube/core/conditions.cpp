#include "kube/core/conditions.hpp"

#include <algorithm>

namespace fairway::kube {
namespace {

bool has_status(const Conditions& conditions, std::string_view type, std::string_view status) {
  const Condition* found = find_condition(conditions, type);
  return found != nullptr && found->status == status;
}

}  // namespace

const Condition* find_condition(const Conditions& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool is_condition_true(const Conditions& conditions, std::string_view type) {
  return has_status(conditions, type, kConditionTrue);
}

bool is_condition_false(const Conditions& conditions, std::string_view type) {
  return has_status(conditions, type, kConditionFalse);
}

bool set_condition(Conditions& conditions, Condition condition, WallTime now) {
  const auto found = std::ranges::find(conditions, condition.type, &Condition::type);
  if (found == conditions.end()) {
    if (!condition.last_transition_time) condition.last_transition_time = now;
    conditions.push_back(std::move(condition));
    return true;
  }
  const bool has_transitioned = found->status != condition.status;
  if (!has_transitioned) {
    condition.last_transition_time = found->last_transition_time;
  } else if (!condition.last_transition_time) {
    condition.last_transition_time = now;
  }
  // Fields that neither side knows by name stay.
  for (const auto& member : found->unknown) condition.unknown.emplace(member.key(), member.value());
  if (*found == condition) return false;
  *found = std::move(condition);
  return true;
}

bool remove_condition(Conditions& conditions, std::string_view type) {
  return std::erase_if(conditions, [&](const Condition& condition) { return condition.type == type; }) > 0;
}

Conditions conditions_of(const json::Object& object) {
  Conditions conditions;
  const json::Array* array = json::get_array(object, {"status", "conditions"});
  if (array == nullptr) return conditions;
  for (const json::Value& element : *array) {
    if (auto condition = json::from_json<Condition>(element)) conditions.push_back(*std::move(condition));
  }
  return conditions;
}

}  // namespace fairway::kube
