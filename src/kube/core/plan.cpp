#include "kube/core/plan.hpp"

#include "base/text.hpp"
#include "json/codec.hpp"

namespace fairway::kube {
namespace {

json::Array texts(const std::vector<std::string>& list) {
  json::Array array;
  for (const std::string& text : list) array.emplace_back(text);
  return array;
}

}  // namespace

json::Object to_json(const PlanSummary& plan) {
  json::Object object;
  object["actions"] = texts(plan.actions);
  if (!plan.conditions.empty()) object["conditions"] = json::to_json(plan.conditions);
  if (!plan.notes.empty()) object["notes"] = texts(plan.notes);
  if (plan.wake_at) {
    object["wakeAt"] = format_rfc3339(*plan.wake_at);
    object["wakeReason"] = plan.wake_reason;
  }
  return object;
}

std::string to_text(const PlanSummary& plan) {
  std::string text;
  for (const std::string& action : plan.actions) text += "do:   " + action + "\n";
  for (const Condition& condition : plan.conditions) {
    text += "say:  " + condition.type + "=" + condition.status + " " + condition.reason;
    text += condition.message.empty() ? "\n" : ": " + condition.message + "\n";
  }
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  if (plan.wake_at) text += "wake: " + format_rfc3339(*plan.wake_at) + " " + plan.wake_reason + "\n";
  return text;
}

}  // namespace fairway::kube
