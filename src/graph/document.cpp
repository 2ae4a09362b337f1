#include "graph/document.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "json/write.hpp"

namespace fairway::graph {
namespace {

// Only what edges name goes into the document.
class RiskCopier {
 public:
  RiskCopier(const Graph& graph, const Outcomes& outcomes, Document& document)
      : graph_(graph), outcomes_(outcomes), document_(document) {}

  std::uint32_t list(RiskListId id) {
    const auto [place, is_new] =
        lists_.try_emplace(id, static_cast<std::uint32_t>(document_.risk_lists.size()));
    if (is_new) {
      std::vector<std::uint32_t> list;
      list.reserve(outcomes_.risk_list(id).size());
      for (const RiskId risk : outcomes_.risk_list(id)) list.push_back(this->risk(risk));
      document_.risk_lists.push_back(std::move(list));
    }
    return place->second;
  }

 private:
  std::uint32_t risk(RiskId id) {
    const auto [place, is_new] = risks_.try_emplace(id, static_cast<std::uint32_t>(document_.risks.size()));
    if (is_new) document_.risks.push_back(graph_.risks()[id]);
    return place->second;
  }

  const Graph& graph_;
  const Outcomes& outcomes_;
  Document& document_;
  std::map<RiskListId, std::uint32_t> lists_;
  std::map<RiskId, std::uint32_t> risks_;
};

std::vector<NodeId> selected(const Graph& graph, std::optional<ChannelId> channel, ArchId arch) {
  if (channel) {
    const auto members = graph.members(*channel, arch);
    return {members.begin(), members.end()};
  }
  std::vector<NodeId> ids;
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).arch == arch && !graph.node(id).is_abstract) ids.push_back(id);
  }
  return ids;
}

json::Object to_value(const Document::Node& node) {
  json::Object object{{"version", node.text}};
  if (node.is_abstract) return object;
  object["payload"] = node.payload;
  json::Object metadata;
  for (const auto& [name, value] : node.metadata) metadata[name] = value;
  object["metadata"] = std::move(metadata);
  return object;
}

json::Array groups(const Document& document) {
  std::vector<std::pair<std::uint32_t, json::Array>> groups;
  std::map<std::uint32_t, std::size_t> places;
  for (const Document::Edge& edge : document.edges) {
    if (!edge.is_conditional()) continue;
    const auto [place, is_new] = places.try_emplace(edge.risks, groups.size());
    if (is_new) groups.emplace_back(edge.risks, json::Array());
    groups[place->second].second.push_back(
        json::Object{{"from", document.nodes[edge.from].text}, {"to", document.nodes[edge.to].text}});
  }
  json::Array array;
  for (auto& [list, edges] : groups) {
    json::Array risks;
    for (const std::uint32_t risk : document.risk_lists[list]) risks.push_back(to_json(document.risks[risk]));
    array.push_back(json::Object{{"edges", std::move(edges)}, {"risks", std::move(risks)}});
  }
  return array;
}

}  // namespace

std::optional<std::uint32_t> Document::find(std::string_view text) const {
  const auto found = std::ranges::find(nodes, text, &Node::text);
  return found == nodes.end() ? std::nullopt
                              : std::optional(static_cast<std::uint32_t>(found - nodes.begin()));
}

std::span<const Document::Edge> Document::edges_from(std::uint32_t node) const {
  const auto range = std::ranges::equal_range(edges, node, {}, &Edge::from);
  return {range.begin(), range.end()};
}

std::vector<std::string> Document::risk_names(const Edge& edge) const {
  std::vector<std::string> names;
  if (!edge.is_conditional()) return names;
  names.reserve(risk_lists[edge.risks].size());
  for (const std::uint32_t risk : risk_lists[edge.risks]) names.push_back(risks[risk].name);
  return names;
}

std::vector<std::string> Document::channels_of(std::uint32_t node) const {
  std::vector<std::string> channels;
  const auto listed = nodes[node].metadata.find(key::kChannels);
  if (listed == nodes[node].metadata.end()) return channels;
  for (std::string_view part : split(listed->second, ',')) {
    if (!trim(part).empty()) channels.emplace_back(trim(part));
  }
  return channels;
}

Document document_of(const Graph& graph, std::optional<ChannelId> channel, ArchId arch,
                     const Outcomes& outcomes) {
  Document document;
  const auto ids = selected(graph, channel, arch);
  std::vector<std::uint32_t> positions(graph.nodes().size(), kRecommended);
  for (std::uint32_t i = 0; i < ids.size(); ++i) positions[ids[i]] = i;
  RiskCopier copier(graph, outcomes, document);
  document.nodes.reserve(ids.size());
  for (const NodeId id : ids) {
    const Node& node = graph.node(id);
    Document::Node copy{
        .version = node.version, .text = node.plain, .payload = node.payload, .metadata = node.metadata};
    copy.version.build.clear();
    if (const auto arch_key = copy.metadata.find(key::kArch); arch_key != copy.metadata.end())
      copy.metadata.erase(arch_key);
    document.nodes.push_back(std::move(copy));
    for (const Edge& edge : graph.edges_from(id)) {
      const Outcome outcome = outcomes.of(edge.policy);
      if (positions[edge.to] == kRecommended || outcome.kind == Outcome::Kind::Absent) continue;
      const bool is_conditional = outcome.kind == Outcome::Kind::Conditional;
      document.edges.push_back(
          {positions[id], positions[edge.to], is_conditional ? copier.list(outcome.risks) : kRecommended});
    }
  }
  return document;
}

std::string to_json(const Document& document) {
  json::Array nodes;
  for (const Document::Node& node : document.nodes) nodes.push_back(to_value(node));
  json::Array edges;
  for (const Document::Edge& edge : document.edges) {
    if (!edge.is_conditional()) edges.push_back(json::Array{edge.from, edge.to});
  }
  return json::serialize(json::Object{{"version", 1},
                                      {"nodes", std::move(nodes)},
                                      {"edges", std::move(edges)},
                                      {"conditionalEdges", groups(document)}});
}

}  // namespace fairway::graph
