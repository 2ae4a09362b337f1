#include "graph/view.hpp"

#include <limits>

#include "json/write.hpp"

namespace fairway::graph {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

void append_comma(std::string& out) {
  if (out.back() != '[' && out.back() != '{') out += ',';
}

void append_metadata(const Metadata& metadata, bool with_arch, std::string& out) {
  out += '{';
  for (const auto& [name, value] : metadata) {
    if (!with_arch && name == key::kArch) continue;
    append_comma(out);
    json::append_string(name, out);
    out += ':';
    json::append_string(value, out);
  }
  out += '}';
}

void append_node(const Node& node, const std::string& version, bool with_arch, std::string& out) {
  out += "{\"version\":";
  json::append_string(version, out);
  if (!node.is_abstract) {
    out += ",\"payload\":";
    json::append_string(node.payload, out);
    out += ",\"metadata\":";
    append_metadata(node.metadata, with_arch, out);
  }
  out += '}';
}

void append_pair(std::uint64_t from, std::uint64_t to, std::string& out) {
  append_comma(out);
  out += '[';
  json::append_number(from, out);
  out += ',';
  json::append_number(to, out);
  out += ']';
}

void append_ends(const std::string& from, const std::string& to, std::string& out) {
  append_comma(out);
  out += "{\"from\":";
  json::append_string(from, out);
  out += ",\"to\":";
  json::append_string(to, out);
  out += '}';
}

std::vector<std::string> risk_texts(const Graph& graph) {
  std::vector<std::string> texts;
  texts.reserve(graph.risks().size());
  for (const Risk& risk : graph.risks()) texts.push_back(json::serialize(to_json(risk)));
  return texts;
}

void append_risks(const std::vector<RiskId>& list, const std::vector<std::string>& texts, std::string& out) {
  out += "],\"risks\":[";
  for (const RiskId risk : list) {
    append_comma(out);
    out += texts[risk];
  }
  out += "]}";
}

}  // namespace

ViewRenderer::ViewRenderer(const Graph& graph, const AllowedRules& allowed)
    : graph_(graph),
      outcomes_(graph, allowed),
      risk_texts_(risk_texts(graph)),
      node_texts_(graph.nodes().size()),
      positions_(graph.nodes().size(), kNone),
      group_of_(outcomes_.risk_list_count(), kNone) {}

std::string ViewRenderer::render(ChannelId channel, ArchId arch) {
  const auto members = graph_.members(channel, arch);
  for (std::uint32_t i = 0; i < members.size(); ++i) positions_[members[i]] = i;
  std::string out = "{\"version\":1,\"nodes\":[";
  append_nodes(members, out);
  out += "],\"edges\":[";
  append_edges(members, out);
  out += "],\"conditionalEdges\":[";
  append_groups(out);
  out += "]}";
  for (const NodeId id : members) positions_[id] = kNone;
  for (const Group& group : groups_) group_of_[group.risks] = kNone;
  groups_.clear();
  return out;
}

void ViewRenderer::append_nodes(std::span<const NodeId> members, std::string& out) {
  for (const NodeId id : members) {
    std::string& text = node_texts_[id];
    if (text.empty()) append_node(graph_.node(id), graph_.node(id).plain, false, text);
    append_comma(out);
    out += text;
  }
}

void ViewRenderer::append_edges(std::span<const NodeId> members, std::string& out) {
  for (const NodeId from : members) {
    for (const Edge& edge : graph_.edges_from(from)) {
      if (positions_[edge.to] == kNone) continue;
      const Outcome outcome = outcomes_.of(edge.policy);
      if (outcome.kind == Outcome::Kind::Recommended) append_pair(positions_[from], positions_[edge.to], out);
      if (outcome.kind != Outcome::Kind::Conditional) continue;
      std::uint32_t& group = group_of_[outcome.risks];
      if (group == kNone) {
        group = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back({outcome.risks, {}});
      }
      groups_[group].edges.emplace_back(from, edge.to);
    }
  }
}

void ViewRenderer::append_groups(std::string& out) const {
  for (const Group& group : groups_) {
    append_comma(out);
    out += "{\"edges\":[";
    for (const auto& [from, to] : group.edges)
      append_ends(graph_.node(from).plain, graph_.node(to).plain, out);
    append_risks(outcomes_.risk_list(group.risks), risk_texts_, out);
  }
}

std::string empty_view() {
  return R"({"version":1,"nodes":[],"edges":[],"conditionalEdges":[]})";
}

std::string render_whole(const Graph& graph, const AllowedRules& allowed) {
  const Outcomes outcomes(graph, allowed);
  const auto texts = risk_texts(graph);
  std::vector<std::uint32_t> group_of(outcomes.risk_list_count(), kNone);
  std::vector<std::pair<RiskListId, std::string>> groups;
  std::string out = "{\"nodes\":[";
  for (const Node& node : graph.nodes()) {
    append_comma(out);
    append_node(node, node.text, true, out);
  }
  out += "],\"edges\":[";
  for (NodeId from = 0; from < graph.nodes().size(); ++from) {
    for (const Edge& edge : graph.edges_from(from)) {
      const Outcome outcome = outcomes.of(edge.policy);
      if (outcome.kind == Outcome::Kind::Recommended) append_pair(from, edge.to, out);
      if (outcome.kind != Outcome::Kind::Conditional) continue;
      std::uint32_t& group = group_of[outcome.risks];
      if (group == kNone) {
        group = static_cast<std::uint32_t>(groups.size());
        groups.emplace_back(outcome.risks, "{\"edges\":[");
      }
      append_ends(graph.node(from).text, graph.node(edge.to).text, groups[group].second);
    }
  }
  out += "],\"conditionalEdges\":[";
  for (auto& [risks, text] : groups) {
    append_comma(out);
    out += text;
    append_risks(outcomes.risk_list(risks), texts, out);
  }
  out += "]}";
  return out;
}

}  // namespace fairway::graph
