// The builder's steps, each a value of its own; only builder*.cpp include this.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/builder.hpp"

namespace fairway::graph::building {

// An edge as one number, so that sorting and deduplicating are fast: target in the upper half.
using Packed = std::uint64_t;
constexpr Packed pack(NodeId from, NodeId to) {
  return (std::uint64_t{to} << 32) | from;
}
constexpr NodeId from_of(Packed edge) {
  return static_cast<NodeId>(edge);
}
constexpr NodeId to_of(Packed edge) {
  return static_cast<NodeId>(edge >> 32);
}

// Nodes by architecture and version, while they are still being found.
class NodeIndex {
 public:
  explicit NodeIndex(std::size_t architectures) : ids_(architectures) {}
  // The stored text must stay where it is.
  void add(ArchId arch, std::string_view plain, NodeId id) { ids_[arch].emplace(plain, id); }
  const NodeId* find(ArchId arch, std::string_view plain) const {
    const auto found = ids_[arch].find(plain);
    return found == ids_[arch].end() ? nullptr : &found->second;
  }

 private:
  std::vector<std::unordered_map<std::string_view, NodeId>> ids_;
};

struct Nodes {
  std::vector<Node> nodes;  // in order
  std::vector<std::string> architectures;
  std::vector<Packed> edges;  // of previous and next; neither sorted nor unique
};

// Releases to nodes, neighbours to edges.
Nodes collect_nodes(std::span<const Release> releases, const BuildOptions& options, Findings& alerts);
NodeIndex index_nodes(const Nodes& nodes);
void join_raw_metadata(const GraphData& data, std::vector<Node>& nodes);

struct Membership {
  std::vector<std::string> channels;
  std::vector<std::size_t> first_member;
  std::vector<NodeId> members;
};
// Also writes each node's list of channels into its metadata.
Membership join_channels(const GraphData& data, Nodes& nodes, const NodeIndex& index);

// previous.add and next.add.
void add_edges(Nodes& nodes, const NodeIndex& index, Findings& alerts);
// By target, then source; each once.
void sort_edges(std::vector<Packed>& edges, std::size_t node_count);
// The edges to reject so that no cycle is left, sorted.
std::vector<Packed> find_closing_edges(std::span<const Packed> edges, std::span<const Node> nodes);

// Interned lists of reasons: a list is its number, and adding a reason to a list gives another number.
class PolicyTable {
 public:
  PolicyTable() : parents_{{kNoPolicy, 0}} {}
  PolicyId with(PolicyId list, ReasonId reason);
  void write(std::vector<std::size_t>& first, std::vector<ReasonId>& reasons) const;

 private:
  struct Step {
    PolicyId rest;
    ReasonId last;
  };
  std::vector<Step> parents_;
  std::unordered_map<std::uint64_t, PolicyId> ids_;
};

// Everything that says which edges are not for everyone.
struct Verdicts {
  std::vector<PolicyId> policies;  // one an edge
  PolicyTable table;
  std::vector<Reason> reasons;
  std::vector<Risk> risks;
  std::vector<TargetedRule> rules;
};
Verdicts judge_edges(std::span<const Packed> edges, std::span<const Packed> closing, const Nodes& nodes,
                     const NodeIndex& index, const GraphData& data, Findings& alerts);

}  // namespace fairway::graph::building
