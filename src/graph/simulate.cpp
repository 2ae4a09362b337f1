#include "graph/simulate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "graph/json_lists.hpp"
#include "graph/outcome.hpp"

namespace fairway::graph {
namespace {

constexpr std::size_t kMostMembers = 10'000'000;

struct State {
  UpdateState state = UpdateState::Absent;
  std::vector<std::string> risks = {};
};

// Targets in order of their versions.
using States = std::map<SemVer, std::pair<std::string, State>>;

// Outcomes depend only on the set of rules that allow; few sets serve a whole fleet.
class OutcomeCache {
 public:
  explicit OutcomeCache(const Graph& graph) : graph_(graph) {}

  const Outcomes& of(const FleetMember& member, const FleetJudge& judge) {
    std::vector<RuleId> allowed;
    for (RuleId rule = 0; rule < graph_.targeted_rules().size(); ++rule) {
      if (!judge.by_service || judge.by_service(member, graph_.targeted_rules()[rule].query))
        allowed.push_back(rule);
    }
    auto place = cache_.find(allowed);
    if (place == cache_.end())
      place = cache_.emplace(allowed, Outcomes(graph_, AllowedRules::only(allowed))).first;
    return place->second;
  }

 private:
  const Graph& graph_;
  std::map<std::vector<RuleId>, Outcomes> cache_;
};

class Simulator {
 public:
  Simulator(const Graph& before, const Graph& after, const FleetJudge& judge)
      : before_(before), after_(after), judge_(judge), outcomes_before_(before), outcomes_after_(after) {}

  MemberImpact run(const FleetMember& member) {
    MemberImpact impact{.member = member};
    verdicts_.clear();
    impact.note = missing(after_, member);
    if (!impact.note.empty()) return impact;
    const States was = states(before_, outcomes_before_, member);
    const States is = states(after_, outcomes_after_, member);
    compare(was, is, impact.changes);
    impact.stranded = recommends(was) && !recommends(is);
    return impact;
  }

 private:
  static std::string missing(const Graph& graph, const FleetMember& member) {
    const auto arch = graph.find_architecture(member.arch);
    if (!arch) return fmt::format("there are no releases for {}", quoted(member.arch));
    const auto channel = graph.find_channel(member.channel);
    if (!channel) return fmt::format("there is no channel {}", quoted(member.channel));
    const auto node = graph.find(member.version, *arch);
    if (!node || !graph.is_member(*node, *channel))
      return fmt::format("{} is not in channel {}", quoted(member.version), member.channel);
    return "";
  }

  static bool recommends(const States& states) {
    return std::ranges::any_of(
        states, [](const auto& entry) { return entry.second.second.state == UpdateState::Recommended; });
  }

  RiskVerdict judge(const FleetMember& member, const Risk& risk) {
    return judge_risk(risk, [&](std::string_view query) {
      if (!judge_.on_cluster) return RiskVerdict::Unknown;
      const auto [place, is_new] = verdicts_.try_emplace(std::string(query), RiskVerdict::Unknown);
      if (is_new) place->second = judge_.on_cluster(member, query);
      return place->second;
    });
  }

  State state_of(const Graph& graph, const Outcomes& outcomes, const FleetMember& member, PolicyId policy) {
    const Outcome outcome = outcomes.of(policy);
    if (outcome.kind == Outcome::Kind::Absent) return {};
    State state{UpdateState::Recommended};
    if (outcome.kind == Outcome::Kind::Recommended) return state;
    for (const RiskId id : outcomes.risk_list(outcome.risks)) {
      const Risk& risk = graph.risks()[id];
      weigh_risk(risk, judge(member, risk), state.state, state.risks);
    }
    return state;
  }

  States states(const Graph& graph, OutcomeCache& cache, const FleetMember& member) {
    States states;
    if (!missing(graph, member).empty()) return states;  // the change adds the version or the channel
    const Outcomes& outcomes = cache.of(member, judge_);
    const ChannelId channel = *graph.find_channel(member.channel);
    const NodeId node = *graph.find(member.version, *graph.find_architecture(member.arch));
    for (const Edge& edge : graph.edges_from(node)) {
      if (!graph.is_member(edge.to, channel)) continue;
      states.emplace(graph.node(edge.to).version,
                     std::pair(graph.node(edge.to).plain, state_of(graph, outcomes, member, edge.policy)));
    }
    return states;
  }

  static void compare(const States& was, const States& is, std::vector<UpdateChange>& changes) {
    std::map<SemVer, UpdateChange> merged;
    for (const auto& [version, entry] : was)
      merged[version] = {.to = entry.first, .before = entry.second.state};
    for (const auto& [version, entry] : is) {
      UpdateChange& change = merged[version];
      change.to = entry.first;
      change.after = entry.second.state;
      change.risks = entry.second.risks;
    }
    for (auto& [version, change] : merged) {
      if (change.before != change.after) changes.push_back(std::move(change));
    }
  }

  const Graph& before_;
  const Graph& after_;
  const FleetJudge& judge_;
  OutcomeCache outcomes_before_;
  OutcomeCache outcomes_after_;
  std::map<std::string, RiskVerdict> verdicts_;  // of the member at hand, by query
};

void count(const MemberImpact& impact, Simulation& simulation) {
  const auto any = [&](auto matches) { return std::ranges::any_of(impact.changes, matches); };
  if (any([](const UpdateChange& c) { return c.before == UpdateState::Recommended; })) ++simulation.losing;
  if (any([](const UpdateChange& c) { return c.after == UpdateState::Recommended; })) ++simulation.gaining;
  if (any([](const UpdateChange& c) {
        return c.before == UpdateState::Recommended && c.after == UpdateState::Unknown;
      }))
    ++simulation.unknown;
  if (impact.stranded) ++simulation.stranded;
  if (!impact.note.empty()) ++simulation.skipped;
}

Result<FleetMember> read_member(std::string_view line) {
  FAIRWAY_TRY(const json::Object object, json::parse_object(line));
  FleetMember member;
  for (const auto& [field, into] : {std::pair{"id", &member.id}, std::pair{"version", &member.version},
                                    std::pair{"channel", &member.channel}}) {
    const auto text = json::get_string(object, {field});
    if (!text || text->empty())
      return fail(ErrorCode::Invalid, fmt::format("expected the text {}, found none", quoted(field)));
    *into = *text;
  }
  for (const auto& [field, into] : {std::pair{"arch", &member.arch}, std::pair{"metrics", &member.metrics}}) {
    const json::Value* value = object.if_contains(field);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_string())
      return fail(ErrorCode::Invalid,
                  fmt::format("expected {} to be text, found {}", quoted(field), json::a_kind(*value)));
    *into = json::view(value->get_string());
  }
  return member;
}

}  // namespace

void weigh_risk(const Risk& risk, RiskVerdict verdict, UpdateState& state, std::vector<std::string>& risks) {
  if (verdict == RiskVerdict::DoesNotApply) return;
  risks.push_back(risk.name);
  if (verdict == RiskVerdict::Applies) state = UpdateState::NotRecommended;
  if (verdict == RiskVerdict::Unknown && state == UpdateState::Recommended) state = UpdateState::Unknown;
}

std::string_view to_string(UpdateState state) {
  switch (state) {
    case UpdateState::Absent:
      return "absent";
    case UpdateState::Recommended:
      return "recommended";
    case UpdateState::NotRecommended:
      return "not recommended";
    case UpdateState::Unknown:
      return "unknown";
  }
  return "absent";
}

Result<std::vector<FleetMember>> read_fleet(std::string_view jsonl) {
  std::vector<FleetMember> fleet;
  std::size_t number = 0;
  for (std::string_view line : split(jsonl, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto member = read_member(line);
    if (!member) return std::unexpected(std::move(member).error().within(fmt::format("line {}", number)));
    if (fleet.size() == kMostMembers)
      return fail(ErrorCode::Invalid, fmt::format("expected at most {} clusters", kMostMembers));
    fleet.push_back(*std::move(member));
  }
  return fleet;
}

Simulation simulate(const Graph& before, const Graph& after, std::span<const FleetMember> fleet,
                    const FleetJudge& judge) {
  Simulation simulation{.clusters = fleet.size()};
  Simulator simulator(before, after, judge);
  for (const FleetMember& member : fleet) {
    MemberImpact impact = simulator.run(member);
    count(impact, simulation);
    if (!impact.changes.empty() || !impact.note.empty()) simulation.impacts.push_back(std::move(impact));
  }
  return simulation;
}

std::string to_text(const Simulation& simulation) {
  std::string text = fmt::format(
      "{} clusters: {} lose a recommended update, {} gain one, for {} one becomes unknown, {} would be "
      "stranded, {} not in the graph\n",
      simulation.clusters, simulation.losing, simulation.gaining, simulation.unknown, simulation.stranded,
      simulation.skipped);
  for (const MemberImpact& impact : simulation.impacts) {
    text += fmt::format("{} ({}, {}, {})", impact.member.id, impact.member.version, impact.member.channel,
                        impact.member.arch);
    text += impact.note.empty() ? (impact.stranded ? ": STRANDED\n" : "\n")
                                : fmt::format(": skipped, {}\n", impact.note);
    for (const UpdateChange& change : impact.changes) {
      text +=
          fmt::format("  {}: {}, was {}{}\n", change.to, to_string(change.after), to_string(change.before),
                      change.risks.empty() ? "" : fmt::format(" ({})", join(change.risks, ", ")));
    }
  }
  return text;
}

json::Object to_json(const Simulation& simulation) {
  json::Array impacts;
  for (const MemberImpact& impact : simulation.impacts) {
    json::Object object{{"id", impact.member.id},
                        {"version", impact.member.version},
                        {"channel", impact.member.channel},
                        {"arch", impact.member.arch},
                        {"stranded", impact.stranded}};
    if (!impact.note.empty()) object["note"] = impact.note;
    json::Array changes;
    for (const UpdateChange& change : impact.changes) {
      changes.push_back(json::Object{{"to", change.to},
                                     {"before", to_string(change.before)},
                                     {"after", to_string(change.after)},
                                     {"risks", to_array(change.risks)}});
    }
    object["changes"] = std::move(changes);
    impacts.push_back(std::move(object));
  }
  return json::Object{{"clusters", simulation.clusters}, {"losing", simulation.losing},
                      {"gaining", simulation.gaining},   {"unknown", simulation.unknown},
                      {"stranded", simulation.stranded}, {"skipped", simulation.skipped},
                      {"impacts", std::move(impacts)}};
}

}  // namespace fairway::graph
