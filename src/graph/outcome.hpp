// Outcomes: what each policy of a graph amounts to, for one set of targeted rules that allow.
//
// An edge is absent, recommended, or conditional on an ordered list of risks. Unconditional reasons win over
// all others. A targeted reason whose rule does not allow makes the edge absent, or, where its file gives
// url, name and message, conditional on a risk that always applies, so that the client can read why. Made
// once for each set of rules and asked for every edge; risk lists are interned, so that equal lists are one
// group.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.hpp"

namespace fairway::graph {

// The targeted rules that allow. Which those are is decided outside: by the client's id, all of them when the
// feature is off, none without an id.
class AllowedRules {
 public:
  static AllowedRules all() { return AllowedRules(true); }
  static AllowedRules none() { return AllowedRules(false); }
  static AllowedRules only(std::vector<RuleId> rules);

  bool allows(RuleId rule) const;

 private:
  explicit AllowedRules(bool everything) : everything_(everything) {}
  bool everything_;
  std::vector<RuleId> rules_;  // sorted
};

using RiskListId = std::uint32_t;

struct Outcome {
  enum class Kind : std::uint8_t { Absent, Recommended, Conditional };
  Kind kind = Kind::Recommended;
  RiskListId risks = 0;  // of Conditional
};

class Outcomes {
 public:
  Outcomes(const Graph& graph, const AllowedRules& allowed);

  Outcome of(PolicyId policy) const { return outcomes_[policy]; }
  std::size_t risk_list_count() const { return lists_.size(); }
  // In the order of the files that name them, each once.
  const std::vector<RiskId>& risk_list(RiskListId id) const { return lists_[id]; }

 private:
  std::vector<Outcome> outcomes_;
  std::vector<std::vector<RiskId>> lists_;
};

// The targeted rules that matter to a channel's answer for an architecture, ascending.
std::vector<RuleId> rules_in_view(const Graph& graph, ChannelId channel, ArchId arch);

}  // namespace fairway::graph
