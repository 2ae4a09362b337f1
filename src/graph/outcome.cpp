#include "graph/outcome.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace fairway::graph {
namespace {

struct Judgement {
  bool absent = false;
  std::vector<RiskId> risks;

  void add(RiskId risk) {
    if (std::ranges::find(risks, risk) == risks.end()) risks.push_back(risk);
  }
};

void judge(const Reason& reason, const AllowedRules& allowed, Judgement& judgement) {
  switch (reason.kind) {
    case Reason::Kind::Block:
    case Reason::Kind::Metadata:
    case Reason::Kind::Cycle:
      judgement.absent = true;
      return;
    case Reason::Kind::Risk:
      judgement.add(*reason.risk);
      return;
    case Reason::Kind::Targeted:
      if (allowed.allows(*reason.rule)) {
        if (reason.risk) judgement.add(*reason.risk);
      } else if (reason.refusal) {
        judgement.add(*reason.refusal);
      } else {
        judgement.absent = true;
      }
  }
}

}  // namespace

AllowedRules AllowedRules::only(std::vector<RuleId> rules) {
  AllowedRules allowed(false);
  std::ranges::sort(rules);
  allowed.rules_ = std::move(rules);
  return allowed;
}

bool AllowedRules::allows(RuleId rule) const {
  return everything_ || std::ranges::binary_search(rules_, rule);
}

Outcomes::Outcomes(const Graph& graph, const AllowedRules& allowed) {
  std::map<std::vector<RiskId>, RiskListId> ids;
  outcomes_.reserve(graph.policy_count());
  for (PolicyId policy = 0; policy < graph.policy_count(); ++policy) {
    Judgement judgement;
    for (const ReasonId reason : graph.policy(policy)) judge(graph.reason(reason), allowed, judgement);
    if (judgement.absent) {
      outcomes_.push_back({Outcome::Kind::Absent});
    } else if (judgement.risks.empty()) {
      outcomes_.push_back({Outcome::Kind::Recommended});
    } else {
      const auto [place, is_new] = ids.try_emplace(judgement.risks, static_cast<RiskListId>(lists_.size()));
      if (is_new) lists_.push_back(judgement.risks);
      outcomes_.push_back({Outcome::Kind::Conditional, place->second});
    }
  }
}

std::vector<RuleId> rules_in_view(const Graph& graph, ChannelId channel, ArchId arch) {
  if (graph.targeted_rules().empty()) return {};
  std::set<PolicyId> policies;
  for (const NodeId from : graph.members(channel, arch)) {
    for (const Edge& edge : graph.edges_from(from)) {
      if (edge.policy != kNoPolicy && graph.is_member(edge.to, channel)) policies.insert(edge.policy);
    }
  }
  std::set<RuleId> rules;
  for (const PolicyId policy : policies) {
    for (const ReasonId reason : graph.policy(policy)) {
      if (graph.reason(reason).rule) rules.insert(*graph.reason(reason).rule);
    }
  }
  return {rules.begin(), rules.end()};
}

}  // namespace fairway::graph
