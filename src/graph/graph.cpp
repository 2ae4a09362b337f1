#include "graph/graph.hpp"

#include <algorithm>

#include "graph/channel.hpp"

namespace fairway::graph {

Graph::Graph(GraphParts parts)
    : nodes_(std::move(parts.nodes)),
      first_edge_(std::move(parts.first_edge)),
      edges_(std::move(parts.edges)),
      architectures_(std::move(parts.architectures)),
      channels_(std::move(parts.channels)),
      first_member_(std::move(parts.first_member)),
      members_(std::move(parts.members)),
      first_reason_(std::move(parts.first_reason)),
      policy_reasons_(std::move(parts.policy_reasons)),
      reasons_(std::move(parts.reasons)),
      risks_(std::move(parts.risks)),
      rules_(std::move(parts.rules)),
      by_version_(architectures_.size()) {
  for (NodeId id = 0; id < nodes_.size(); ++id) by_version_[nodes_[id].arch].emplace(nodes_[id].plain, id);
}

Graph::~Graph() = default;

const Edge* Graph::find_edge(NodeId from, NodeId to) const {
  const auto edges = edges_from(from);
  const auto found = std::ranges::lower_bound(edges, to, {}, &Edge::to);
  return found != edges.end() && found->to == to ? &*found : nullptr;
}

std::optional<ArchId> Graph::find_architecture(std::string_view name) const {
  const auto found = std::ranges::lower_bound(architectures_, name);
  if (found == architectures_.end() || *found != name) return std::nullopt;
  return static_cast<ArchId>(found - architectures_.begin());
}

std::optional<ChannelId> Graph::find_channel(std::string_view name) const {
  const auto found = std::ranges::lower_bound(channels_, name, channel_less);
  if (found == channels_.end() || *found != name) return std::nullopt;
  return static_cast<ChannelId>(found - channels_.begin());
}

std::optional<NodeId> Graph::find(std::string_view version, ArchId arch) const {
  const auto found = by_version_[arch].find(version);
  return found == by_version_[arch].end() ? std::nullopt : std::optional(found->second);
}

std::span<const NodeId> Graph::members(ChannelId channel, ArchId arch) const {
  const std::size_t at = channel * architectures_.size() + arch;
  return std::span(members_).subspan(first_member_[at], first_member_[at + 1] - first_member_[at]);
}

bool Graph::is_member(NodeId node, ChannelId channel) const {
  return std::ranges::binary_search(members(channel, nodes_[node].arch), node);
}

}  // namespace fairway::graph
