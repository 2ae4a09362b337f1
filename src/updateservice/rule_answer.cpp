#include "updateservice/rule_answer.hpp"

namespace fairway::updateservice {
namespace {

Duration lifetime_of(IdVerdict verdict, const Lifetimes& lifetimes) {
  switch (verdict) {
    case IdVerdict::Allowed:
      return lifetimes.allowed;
    case IdVerdict::Blocked:
      return lifetimes.blocked;
    case IdVerdict::Unknown:
      break;
  }
  return lifetimes.unknown;
}

}  // namespace

Judgement judge(const RuleAnswer* answer, const IdKey& id, const Lifetimes& lifetimes, SteadyTime now) {
  if (!answer) return {.allows = false, .is_expired = true};
  const Duration age = now - answer->asked;
  if (answer->failure) return {.allows = false, .is_expired = age >= lifetimes.failure};
  const IdVerdict verdict = answer->ids.find(id);
  const bool is_expired = age >= lifetime_of(verdict, lifetimes);
  return {.allows = verdict == IdVerdict::Allowed && !is_expired, .is_expired = is_expired};
}

bool may_ask(const RuleAnswer* answer, const Lifetimes& lifetimes, SteadyTime now) {
  return !answer || now - answer->asked >= lifetimes.least_pause;
}

}  // namespace fairway::updateservice
