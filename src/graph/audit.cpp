#include "graph/audit.hpp"

#include <algorithm>

#include "graph/json_lists.hpp"

namespace fairway::graph {
namespace {

// The nodes from which the last one can be reached.
std::vector<bool> leads_to_head(const Document& document, bool with_conditional) {
  std::vector<std::vector<std::uint32_t>> sources(document.nodes.size());
  for (const Document::Edge& edge : document.edges) {
    if (with_conditional || !edge.is_conditional()) sources[edge.to].push_back(edge.from);
  }
  std::vector<bool> reached(document.nodes.size(), false);
  std::vector<std::uint32_t> waiting{static_cast<std::uint32_t>(document.nodes.size() - 1)};
  reached.back() = true;
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    for (const std::uint32_t source : sources[node]) {
      if (reached[source]) continue;
      reached[source] = true;
      waiting.push_back(source);
    }
  }
  return reached;
}

}  // namespace

Audit audit(const Document& document) {
  Audit audit;
  if (document.nodes.empty()) return audit;
  audit.head = document.nodes.back().text;
  const auto some_way = leads_to_head(document, true);
  const auto safe_way = leads_to_head(document, false);
  for (std::uint32_t id = 0; id + 1 < document.nodes.size(); ++id) {
    const auto exits = document.edges_from(id);
    const bool has_safe_exit =
        std::ranges::any_of(exits, [](const Document::Edge& edge) { return !edge.is_conditional(); });
    const std::string& version = document.nodes[id].text;
    if (exits.empty()) {
      audit.without_exit.push_back(version);
    } else if (!some_way[id]) {
      audit.cut_off.push_back(version);
    } else if (!has_safe_exit) {
      audit.only_conditional.push_back(version);
    } else if (!safe_way[id]) {
      audit.head_at_risk.push_back(version);
    }
  }
  return audit;
}

json::Object to_json(const Audit& audit) {
  return json::Object{{"head", audit.head},
                      {"withoutExit", to_array(audit.without_exit)},
                      {"onlyConditional", to_array(audit.only_conditional)},
                      {"cutOff", to_array(audit.cut_off)},
                      {"headAtRisk", to_array(audit.head_at_risk)}};
}

}  // namespace fairway::graph
