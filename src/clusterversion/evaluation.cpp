#include "clusterversion/evaluation.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kOpenId = R"(_id="")";

// Answers rules from the schedule and remembers which queries were asked for, in order.
class Answers {
 public:
  Answers(const QuerySchedule& queries, Moment now, const EvaluationSettings& settings)
      : queries_(queries),
        now_(now),
        cluster_id_(settings.cluster_id),
        registry_([this](const MatchingRule& rule) { return answer(rule); }) {}
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  RuleVerdict verdict(const OfferedRisk& risk) { return evaluate(risk, registry_); }
  std::vector<std::string> take_wanted() { return std::move(wanted_); }

  std::string asked(const std::string& query) const {
    if (cluster_id_.empty() || query.find(kOpenId) == std::string::npos) return query;
    return replace_all(query, kOpenId, "_id=\"" + cluster_id_ + "\"");
  }

 private:
  RuleVerdict answer(const MatchingRule& rule) {
    const std::string query = asked(rule.promql->promql);
    if (seen_.insert(query).second) wanted_.push_back(query);
    const QueryOutcome* outcome = queries_.find(query);
    if (outcome == nullptr) {
      const auto until = queries_.paused_until(query, now_.steady);
      return std::unexpected(NoVerdict{.why = until ? throttled_until(*until) : "evaluation has not finished",
                                       .reason = "EvaluationPending",
                                       .is_waiting = true});
    }
    if (!*outcome) return std::unexpected(NoVerdict{.why = outcome->error().why, .reason = "PromQLError"});
    return **outcome;
  }

  const QuerySchedule& queries_;
  Moment now_;
  const std::string& cluster_id_;
  std::vector<std::string> wanted_;
  std::unordered_set<std::string> seen_;
  RuleRegistry registry_;
};

// Conditions with the times of those that were published, where the status is the same.
kube::Conditions since(kube::Conditions conditions, const kube::Conditions* published, WallTime now) {
  for (kube::Condition& condition : conditions) {
    const kube::Condition* before =
        published == nullptr ? nullptr : kube::find_condition(*published, condition.type);
    const bool is_same = before != nullptr && before->status == condition.status;
    condition.last_transition_time = is_same ? before->last_transition_time : now;
  }
  return conditions;
}

std::map<std::string_view, const kube::Conditions*> by_image(const ClusterVersionStatus& status) {
  std::map<std::string_view, const kube::Conditions*> found;
  for (const ConditionalUpdate& update : status.conditional_updates)
    found.emplace(update.release.image, &update.conditions);
  return found;
}

// The risks as they are published: queries as they are asked.
Risk published_risk(const OfferedRisk& risk, const Answers& answers) {
  Risk published = risk.risk;
  for (MatchingRule& rule : published.matching_rules) {
    if (rule.promql) rule.promql->promql = answers.asked(rule.promql->promql);
  }
  return published;
}

// So that queries are wanted in the order of the names, whatever the order of the risks.
void want_by_name(const OfferedUpdate& update, Answers& answers) {
  std::vector<const OfferedRisk*> risks;
  risks.reserve(update.risks.size());
  for (const OfferedRisk& risk : update.risks) risks.push_back(&risk);
  std::ranges::sort(risks, {}, [](const OfferedRisk* risk) -> const std::string& { return risk->risk.name; });
  for (const OfferedRisk* risk : risks) (void)answers.verdict(*risk);
}

ConditionalUpdate judged(const OfferedUpdate& update, Answers& answers, const AcceptedNames& accepted,
                         bool tells_risks) {
  want_by_name(update, answers);
  ConditionalUpdate made{.release = update.release};
  made.conditions = judge(update, [&](const OfferedRisk& risk) { return answers.verdict(risk); }, accepted);
  for (const OfferedRisk& risk : update.risks) {
    made.risks.push_back(published_risk(risk, answers));
    if (tells_risks) made.risk_names.push_back(risk.risk.name);
  }
  std::ranges::sort(made.risk_names);
  return made;
}

// Every risk once, with its condition Applies. The definition of the highest target counts.
std::vector<Risk> told_one_by_one(const Offer& offer, Answers& answers, const ClusterVersionStatus& published,
                                  WallTime now) {
  std::map<std::string_view, const kube::Conditions*> before;
  for (const Risk& risk : published.conditional_update_risks) before.emplace(risk.name, &risk.conditions);
  std::map<std::string, Risk> risks;
  for (const OfferedUpdate& update : offer.conditional) {
    for (const OfferedRisk& risk : update.risks) {
      if (risks.contains(risk.risk.name)) continue;
      Risk told = published_risk(risk, answers);
      const auto found = before.find(told.name);
      told.conditions =
          since({applies(risk, answers.verdict(risk))}, found == before.end() ? nullptr : found->second, now);
      risks.emplace(told.name, std::move(told));
    }
  }
  std::vector<Risk> sorted;
  for (auto& [name, risk] : risks) {
    if (sorted.size() < kMostTargets) sorted.push_back(std::move(risk));
  }
  return sorted;
}

}  // namespace

Evaluated evaluate_offer(const Offer* offer, const QuerySchedule& queries, const AcceptedNames& accepted,
                         const ClusterVersionStatus& published, Moment now,
                         const EvaluationSettings& settings) {
  Evaluated all;
  if (offer == nullptr) return all;
  const WallTime time = std::chrono::floor<std::chrono::seconds>(now.wall);
  Answers answers(queries, now, settings);
  const bool tells_risks = settings.accepts_risks && offer->tells_risks;
  all.available.assign(offer->updates.begin(), offer->updates.end());
  const auto before = by_image(published);
  for (const OfferedUpdate& update : offer->conditional) {
    ConditionalUpdate made =
        judged(update, answers, settings.accepts_risks ? accepted : AcceptedNames{}, tells_risks);
    const auto found = before.find(made.release.image);
    made.conditions =
        since(std::move(made.conditions), found == before.end() ? nullptr : found->second, time);
    if (is_recommended(made)) all.available.push_back(made.release);
    all.conditional.push_back(std::move(made));
  }
  std::ranges::sort(all.available, is_newer);
  if (tells_risks) all.risks = told_one_by_one(*offer, answers, published, time);
  for (const OfferedRisk& risk : offer->known_risks) {
    if (answers.verdict(risk).value_or(false)) all.exposures.push_back(&risk.risk);
  }
  all.wanted = answers.take_wanted();
  return all;
}

}  // namespace fairway::clusterversion
