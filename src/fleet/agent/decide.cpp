#include "fleet/agent/decide.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "fleet/agent/evaluation.hpp"
#include "fleet/agent/report.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

using Plan = kube::Plan<Action>;

ObjectPointer current(const Observed& seen, const Related& related) {
  const auto found = seen.outcomes.find(related.subject);
  return found != seen.outcomes.end() && found->second.is_seen_anew ? found->second.now : related.live;
}

const Outcome* outcome_of(const Observed& seen, const Subject& subject) {
  const auto found = seen.outcomes.find(subject);
  return found == seen.outcomes.end() ? nullptr : &found->second;
}

// Whether pruning is about this object at all: it is there, and it is the policy's to take back.
bool is_prunable(const Observed& seen, const Related& related, Prune prune) {
  const ObjectPointer live = current(seen, related);
  if (!live || related.is_unwanted || prune == Prune::None) return false;
  const bool is_same = related.uid.empty() || kube::uid_of(*live) == related.uid;
  if (!is_same) return false;
  return prune == Prune::DeleteAll || (related.was_created_by_policy && !related.uid.empty());
}

struct Pruning {
  std::vector<ObjectAction> actions = {};
  std::vector<std::string> waiting = {};
  std::vector<std::string> refusals = {};
};

// Of the related objects that are not (any longer) wanted.
Pruning prune(const Observed& seen, const Configuration& configuration, const std::set<Subject>& wanted) {
  Pruning made;
  if (!configuration.is_enforced) return made;
  for (const Related& each : seen.related) {
    if (wanted.contains(each.subject) || !is_prunable(seen, each, configuration.prune)) continue;
    const ObjectPointer live = current(seen, each);
    const Outcome* outcome = outcome_of(seen, each.subject);
    if (outcome != nullptr && outcome->refusal) {
      made.refusals.push_back(fmt::format("{}: {}", each.subject.to_string(), outcome->refusal->message));
    } else if (kube::is_being_deleted(*live) || (outcome != nullptr && outcome->was_deleted)) {
      made.waiting.push_back(each.subject.to_string());
    } else {
      made.actions.push_back(
          DeleteObject{each.subject, std::string(kube::uid_of(*live)), "its policy no longer asks for it"});
    }
  }
  return made;
}

Finding cleaning_failed(const Pruning& pruning) {
  return {false, "Error cleaning up child objects",
          fmt::format("the objects of this policy could not be deleted: {}", join(pruning.refusals, "; "))};
}

void write_status(Plan& plan, const Observed& seen, const Configuration& configuration,
                  const Report& report) {
  json::Object status = next_status(seen, report);
  const json::Object* before = json::get_object(*seen.policy, {"status"});
  const auto next = next_evaluation(configuration, report.is_compliant(), seen.now);
  // An interval counts from the time on record; without one the time is written with the next news.
  if (before == nullptr || next || is_news(*before, status))
    plan.actions.push_back(WriteStatus{seen.policy, std::move(status)});
  if (next) plan.wake(*next, "the evaluation interval ends");
}

Plan decide_deleted(const Observed& seen, const Configuration& configuration) {
  Plan plan;
  if (!kube::has_finalizer(*seen.policy, kPruneFinalizer)) return plan;
  const Pruning pruning = prune(seen, configuration, {});
  for (const ObjectAction& each : pruning.actions)
    std::visit([&](const auto& one) { plan.actions.emplace_back(one); }, each);
  if (!plan.actions.empty()) return plan;
  if (pruning.refusals.empty() && pruning.waiting.empty()) {
    plan.actions.push_back(SetFinalizer{seen.policy, false});
    return plan;
  }
  Report report{.is_terminating = true};
  if (pruning.refusals.empty()) {
    report.findings.push_back({false, "K8s deletion success",
                               fmt::format("waiting until they are gone: {}", join(pruning.waiting, "; "))});
  } else {
    report.findings.push_back(cleaning_failed(pruning));
    plan.wake(seen.now + kRefusalStands, "deletions were refused");
  }
  json::Object status = next_status(seen, report);
  // What is still there must stay on record until it is gone.
  if (const json::Value* related = json::find(*seen.policy, {"status", "relatedObjects"}))
    status["relatedObjects"] = *related;
  if (const json::Object* before = json::get_object(*seen.policy, {"status"});
      before == nullptr || is_news(*before, status))
    plan.actions.push_back(WriteStatus{seen.policy, std::move(status)});
  return plan;
}

struct Judged {
  std::vector<std::vector<Verdict>> verdicts = {};
  std::vector<Action> actions = {};
  std::vector<std::string> notes = {};
};

Judged judge_all(const Observed& seen, const Configuration& configuration) {
  Judged made;
  for (const PreparedTemplate& each : seen.templates) {
    Judgement one = judge(each, seen.outcomes, configuration.is_enforced);
    for (ObjectAction& action : one.actions)
      std::visit([&](auto& of) { made.actions.emplace_back(std::move(of)); }, action);
    made.notes.insert(made.notes.end(), one.notes.begin(), one.notes.end());
    made.verdicts.push_back(std::move(one.verdicts));
  }
  return made;
}

bool has_acted(const Observed& seen) {
  return std::ranges::any_of(seen.outcomes, [](const auto& each) {
    return each.second.was_created || each.second.was_updated || each.second.was_deleted;
  });
}

std::string message_of(const Observed& seen, const Configuration& configuration, bool is_compliant,
                       const std::vector<Finding>& findings) {
  const std::string& custom =
      is_compliant ? configuration.message_compliant : configuration.message_noncompliant;
  return policy_message(is_compliant, custom_message(custom, default_message(findings), *seen.policy));
}

Report report_of(const Observed& seen, const Configuration& configuration, const Judged& judged) {
  Report report;
  std::vector<Finding> before;
  for (std::size_t i = 0; i < seen.templates.size(); ++i) {
    report.findings.push_back(finding_of(seen.templates[i], judged.verdicts[i]));
    before.push_back(finding_of(seen.templates[i], judged.verdicts[i], true));
    report.verdicts.insert(report.verdicts.end(), judged.verdicts[i].begin(), judged.verdicts[i].end());
  }
  if (report.findings.empty())
    report.findings.push_back(
        {true, "K8s `must have` object already exists", "there are no object templates to compare"});
  report.message = message_of(seen, configuration, report.is_compliant(), report.findings);
  if (has_acted(seen) && before != report.findings)
    report.message_before = message_of(seen, configuration, false, before);
  return report;
}

bool is_refused_somewhere(const Observed& seen) {
  return std::ranges::any_of(seen.outcomes, [](const auto& each) {
    const Outcome& outcome = each.second;
    return outcome.refusal || (outcome.trial && !outcome.trial->has_value());
  });
}

// What is there, against what the policy asks for.
Plan look(const Observed& seen, const Configuration& configuration) {
  Plan plan;
  Judged judged = judge_all(seen, configuration);
  plan.notes = std::move(judged.notes);
  if (!judged.actions.empty()) {
    plan.actions = std::move(judged.actions);
    return plan;
  }
  Report report = report_of(seen, configuration, judged);
  std::set<Subject> wanted;
  for (const Verdict& each : report.verdicts) wanted.insert(each.subject);
  // A template that cannot be told says nothing about what is still wanted.
  const bool is_known = std::ranges::none_of(
      seen.templates, [](const PreparedTemplate& each) { return each.fault.has_value(); });
  report.is_incomplete = !is_known && configuration.prune != Prune::None;
  const Pruning pruning = is_known ? prune(seen, configuration, wanted) : Pruning{};
  for (const ObjectAction& each : pruning.actions)
    std::visit([&](const auto& one) { plan.actions.emplace_back(one); }, each);
  if (!plan.actions.empty()) return plan;
  if (!pruning.refusals.empty()) {
    report.findings.push_back(cleaning_failed(pruning));
    report.message = message_of(seen, configuration, false, report.findings);
  }
  write_status(plan, seen, configuration, report);
  if (configuration.is_enforced && is_refused_somewhere(seen))
    plan.wake(seen.now + kRefusalStands, "a write was refused");
  const auto is_unreadable = [](const PreparedTemplate& each) {
    return each.fault && each.fault->reason == kServerError;
  };
  if (seen.lacks_key) plan.wake(seen.now + kRefusalStands, "the key of encrypted values could not be read");
  if (std::ranges::any_of(seen.templates, is_unreadable))
    plan.wake(seen.now + kRefusalStands, "a kind could not be read");
  return plan;
}

}  // namespace

std::string describe(const Action& action) {
  return std::visit(
      Overloaded{
          [](const TryUpdate& one) { return fmt::format("try an update of {}", one.subject.to_string()); },
          [](const CreateObject& one) { return fmt::format("create {}", one.subject.to_string()); },
          [](const UpdateObject& one) { return fmt::format("update {}", one.subject.to_string()); },
          [](const DeleteObject& one) {
            return fmt::format("delete {}: {}", one.subject.to_string(), one.why);
          },
          [](const SetFinalizer& one) {
            return fmt::format("{} the finalizer of {}", one.is_wanted ? "add" : "remove",
                               kube::key_of(*one.policy).to_string());
          },
          [](const WriteStatus& one) {
            return fmt::format("write the status of {}: {}", kube::key_of(*one.policy).to_string(),
                               json::get_string(one.status, {"compliant"}).value_or(""));
          }},
      action);
}

kube::Plan<Action> decide(const Observed& seen) {
  if (!seen.policy) return {};
  const Configuration configuration = Configuration::from(*seen.policy);
  if (kube::is_being_deleted(*seen.policy)) return decide_deleted(seen, configuration);
  Plan plan;
  const bool wants_finalizer = configuration.is_enforced && configuration.prune != Prune::None;
  if (wants_finalizer != kube::has_finalizer(*seen.policy, kPruneFinalizer)) {
    // Before anything is made that would have to be taken back.
    plan.actions.push_back(SetFinalizer{seen.policy, wants_finalizer});
    return plan;
  }
  const Due due = when_due(seen, configuration);
  if (!due.is_now) {
    if (due.at) plan.wake(*due.at, "the evaluation interval ends");
    return plan;
  }
  return look(seen, configuration);
}

}  // namespace fairway::fleet::agent
