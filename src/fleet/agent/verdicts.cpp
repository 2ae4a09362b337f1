#include "fleet/agent/verdicts.hpp"

#include <fmt/format.h>

#include "fleet/agent/difference.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

// One template against what is there.
class Judge {
 public:
  Judge(const PreparedTemplate& prepared, const Outcomes& outcomes, bool is_enforced)
      : prepared_(prepared), outcomes_(outcomes), is_enforced_(is_enforced) {}

  Judgement run() {
    for (const Target& target : prepared_.targets) {
      if (prepared_.settings.rules.rule == Rule::MustNotHave) {
        judge_unwanted(target);
      } else if (!target.name.empty()) {
        judge_wanted(target, target.name, target.live.empty() ? nullptr : target.live.front());
      } else if (prepared_.settings.selector) {
        judge_selected(target);
      } else {
        judge_any(target);
      }
    }
    return std::move(made_);
  }

 private:
  Subject subject(const Target& target, std::string name) const {
    return {prepared_.kind, target.namespace_, std::move(name)};
  }
  const Outcome& outcome_of(const Subject& subject) const {
    static const Outcome kNone;
    const auto found = outcomes_.find(subject);
    return found == outcomes_.end() ? kNone : found->second;
  }
  static ObjectPointer current(const Outcome& outcome, const ObjectPointer& cached) {
    return outcome.is_seen_anew ? outcome.now : cached;
  }
  bool is_selected(const json::Object& object) const {
    return !prepared_.settings.selector || prepared_.settings.selector->matches_object(object);
  }
  // A server quotes what it refuses.
  std::string told(const Error& error) const {
    if (!prepared_.has_decrypted) return error.message;
    return fmt::format("the server says {}; its words are not told, because the policy has decrypted values",
                       to_string(error.code));
  }
  void say(Verdict verdict) { made_.verdicts.push_back(std::move(verdict)); }

  void judge_wanted(const Target& target, const std::string& name, const ObjectPointer& cached) {
    const Subject about = subject(target, name);
    const Outcome& outcome = outcome_of(about);
    const ObjectPointer live = current(outcome, cached);
    if (!live) return judge_missing(target, about, outcome);
    const Comparison found = compare(target.definition, *live, prepared_.settings.rules);
    if (outcome.refusal && !outcome.was_deleted)
      return say(
          {.subject = about, .state = State::UpdateFailed, .error = told(*outcome.refusal), .object = live});
    if (found.has_correction) return judge_mismatch(about, outcome, live, found);
    say({.subject = about, .state = found.is_match() ? settled(outcome) : State::Differs, .object = live});
  }

  static State settled(const Outcome& outcome) {
    if (outcome.was_created) return State::Created;
    return outcome.was_updated ? State::Updated : State::AsWanted;
  }

  void judge_missing(const Target& target, const Subject& about, const Outcome& outcome) {
    if (outcome.refusal)
      return say({.subject = about, .state = State::CreateFailed, .error = told(*outcome.refusal)});
    say({.subject = about, .state = State::Absent});
    if (is_enforced_)
      made_.actions.push_back(CreateObject{about, as_created(target.definition, target.namespace_)});
  }

  void judge_mismatch(const Subject& about, const Outcome& outcome, const ObjectPointer& live,
                      const Comparison& found) {
    Verdict verdict{.subject = about, .state = State::Differs, .object = live};
    const State otherwise = found.has_status_mismatch ? State::Differs : settled(outcome);
    if (outcome.was_created || outcome.was_updated) {
      // The server was told, and this is what it makes of it: telling it again changes nothing.
      verdict.state = otherwise;
      return say(std::move(verdict));
    }
    if (!outcome.trial) {
      made_.actions.push_back(TryUpdate{about, found.corrected});
      return say(std::move(verdict));
    }
    const bool is_accepted = outcome.trial->has_value();
    if (is_accepted && is_same_object(*live, ***outcome.trial)) {
      verdict.state = otherwise;
      verdict.matches_after_dry_run = true;
      return say(std::move(verdict));
    }
    const json::Object& updated = is_accepted ? ***outcome.trial : found.corrected;
    verdict.diff = recorded_diff(*live, updated);
    if (prepared_.settings.record_diff == RecordDiff::Log && !prepared_.has_decrypted)
      made_.notes.push_back(fmt::format("{} differs:\n{}", about.to_string(), difference(*live, updated)));
    if (is_enforced_) correct(about, outcome, live, found, verdict);
    say(std::move(verdict));
  }

  // Of an enforced policy, whose object is confirmed to be different.
  void correct(const Subject& about, const Outcome& outcome, const ObjectPointer& live,
               const Comparison& found, Verdict& verdict) {
    if (kube::is_being_deleted(*live)) return;  // what comes after it is looked at then
    const Recreate option = prepared_.settings.recreate;
    const bool is_refused = !outcome.trial->has_value();
    if (option == Recreate::Always || (option == Recreate::IfRequired && is_refused)) {
      if (!outcome.was_deleted)
        made_.actions.push_back(DeleteObject{about, std::string(kube::uid_of(*live)), "to make it anew"});
    } else if (is_refused) {
      verdict.state = State::UpdateFailed;
      verdict.error = told(outcome.trial->error());
    } else {
      made_.actions.push_back(UpdateObject{about, found.corrected});
    }
  }

  std::string recorded_diff(const json::Object& live, const json::Object& updated) const {
    RecordDiff how = prepared_.settings.record_diff;
    if (prepared_.has_decrypted) return how == RecordDiff::None ? "" : kEncryptedDiff;
    if (how == RecordDiff::Default) how = is_sensitive(live) ? RecordDiff::Censored : RecordDiff::InStatus;
    switch (how) {
      case RecordDiff::Censored:
        return kCensoredDiff;
      case RecordDiff::Log:
      case RecordDiff::None:
        return "";
      case RecordDiff::Default:
      case RecordDiff::InStatus:
        break;
    }
    return difference(live, updated);
  }

  // Each selected object is judged as if it were named.
  void judge_selected(const Target& target) {
    bool is_any = false;
    for (const ObjectPointer& each : target.live) {
      if (!is_selected(*each)) continue;
      is_any = true;
      judge_wanted(target, std::string(kube::name_of(*each)), each);
    }
    if (!is_any) say({.subject = subject(target, ""), .state = State::Absent});
  }

  // Any object that fits will do; none can be made, because none is named.
  void judge_any(const Target& target) {
    bool is_any = false;
    for (const ObjectPointer& each : target.live) {
      if (!compare(target.definition, *each, prepared_.settings.rules).is_match()) continue;
      is_any = true;
      say({.subject = subject(target, std::string(kube::name_of(*each))), .object = each});
    }
    if (!is_any) say({.subject = subject(target, ""), .state = State::Absent});
  }

  void judge_unwanted(const Target& target) {
    bool is_any = false;
    for (const ObjectPointer& cached : target.live) {
      const Subject about = subject(target, std::string(kube::name_of(*cached)));
      const Outcome& outcome = outcome_of(about);
      const ObjectPointer live = current(outcome, cached);
      if (!live && outcome.was_deleted) {
        is_any = true;
        say({.subject = about, .state = State::Deleted});
      }
      if (!live || !is_selected(*live) || !compare(target.definition, *live, {}).is_match()) continue;
      is_any = true;
      judge_found(about, outcome, live);
    }
    if (!is_any) say({.subject = subject(target, target.name), .state = State::UnwantedAbsent});
  }

  void judge_found(const Subject& about, const Outcome& outcome, const ObjectPointer& live) {
    if (outcome.refusal)
      return say(
          {.subject = about, .state = State::DeleteFailed, .error = told(*outcome.refusal), .object = live});
    say({.subject = about, .state = State::UnwantedPresent, .object = live});
    if (is_enforced_ && !outcome.was_deleted && !kube::is_being_deleted(*live))
      made_.actions.push_back(DeleteObject{about, std::string(kube::uid_of(*live)), "it must not be there"});
  }

  const PreparedTemplate& prepared_;
  const Outcomes& outcomes_;
  bool is_enforced_;
  Judgement made_;
};

}  // namespace

std::string Subject::to_string() const {
  return fmt::format("{} {}", kind.kind, kube::ObjectKey{namespace_, name}.to_string());
}

bool is_compliant(State state) {
  return state <= State::UnwantedAbsent;
}

Judgement judge(const PreparedTemplate& prepared, const Outcomes& outcomes, bool is_enforced) {
  if (prepared.fault) return {};
  return Judge(prepared, outcomes, is_enforced).run();
}

}  // namespace fairway::fleet::agent
