// simulate: what a change of graph data would do to a recorded fleet, before anyone merges it.
//
// For every cluster, each update it can see before and after the change is recommended, not recommended or
// unknown, as the cluster itself would find. The report says who loses which updates, for whom they become
// unknown, and who would be stranded: recommended updates before, none after. Queries are evaluated by
// functions that are given, on what was recorded of each cluster; a query that cannot be evaluated is Unknown
// and never recommends.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/graph.hpp"
#include "graph/verdict.hpp"
#include "json/value.hpp"

namespace fairway::graph {

struct FleetMember {
  std::string id;
  std::string version;
  std::string channel;
  std::string arch = "amd64";
  std::string metrics = {};  // path of the recorded metrics; empty: none
};

// One JSON object a line: {"id","version","channel","arch","metrics"}; arch may be left out (amd64), metrics
// too.
Result<std::vector<FleetMember>> read_fleet(std::string_view jsonl);

struct FleetJudge {
  // A risk's query on the cluster's own metrics.
  std::function<RiskVerdict(const FleetMember&, std::string_view query)> on_cluster = {};
  // Whether clusters.promql allows the cluster; without it, all such edges are enabled, as on a service
  // without Prometheus.
  std::function<bool(const FleetMember&, std::string_view query)> by_service = {};
};

enum class UpdateState { Absent, Recommended, NotRecommended, Unknown };
std::string_view to_string(UpdateState state);

// What a risk makes of an update that is Recommended until one says otherwise: a risk that applies outweighs
// one that cannot be told. Adds its name unless it does not apply.
void weigh_risk(const Risk& risk, RiskVerdict verdict, UpdateState& state, std::vector<std::string>& risks);

struct UpdateChange {
  std::string to;
  UpdateState before = UpdateState::Absent;
  UpdateState after = UpdateState::Absent;
  std::vector<std::string> risks = {};  // after the change, those that apply or are unknown
};

struct MemberImpact {
  FleetMember member;
  std::vector<UpdateChange> changes = {};
  bool stranded = false;
  std::string note = {};  // why nothing could be said: a version or channel that the graph does not have
};

struct Simulation {
  std::size_t clusters = 0;
  std::size_t losing = 0;  // clusters that lose a recommended update
  std::size_t gaining = 0;
  std::size_t unknown = 0;  // clusters for which a recommended update becomes unknown
  std::size_t stranded = 0;
  std::size_t skipped = 0;
  std::vector<MemberImpact> impacts =
      {};  // only those that something changes for, or with a note; in the fleet's order
};

Simulation simulate(const Graph& before, const Graph& after, std::span<const FleetMember> fleet,
                    const FleetJudge& judge);

std::string to_text(const Simulation& simulation);
json::Object to_json(const Simulation& simulation);

}  // namespace fairway::graph
