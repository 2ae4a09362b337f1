// Graph: all releases and the updates between them, for every channel and architecture; immutable.
//
// Made by build_graph() (builder.hpp), shared by whoever answers from it, never changed. Nodes are numbered
// in SemVer order with the architecture as last key, so that ascending numbers are ascending versions. Every
// edge that a release declares is here, also those that nobody is recommended: an edge's policy is the list
// of reasons against it, and outcome_of() in outcome.hpp says what a policy amounts to. Policies are
// interned; a few hundred cover all edges.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/semver.hpp"
#include "graph/block.hpp"
#include "graph/release.hpp"

namespace fairway::graph {

using NodeId = std::uint32_t;
using ArchId = std::uint32_t;
using ChannelId = std::uint32_t;
using PolicyId = std::uint32_t;
using ReasonId = std::uint32_t;
using RiskId = std::uint32_t;
using RuleId = std::uint32_t;

inline constexpr PolicyId kNoPolicy = 0;  // nothing speaks against the edge

struct Node {
  SemVer version;     // with the architecture as build part
  std::string text;   // 4.7.4+amd64
  std::string plain;  // 4.7.4
  ArchId arch = 0;
  std::string payload = {};
  Metadata metadata = {};    // the architecture's key and the list of channels included
  bool is_abstract = false;  // named by another release, but there is no such release
};

struct Edge {
  NodeId to = 0;
  PolicyId policy = kNoPolicy;
};

// Something that speaks against an edge.
struct Reason {
  enum class Kind {
    Block,     // for everyone
    Risk,      // clusters decide by matchingRules
    Targeted,  // the service decides by the client's id
    Metadata,  // a release or raw metadata removes the edge
    Cycle,     // the edge leads down and lies on a cycle
  };
  Kind kind = Kind::Block;
  std::string file = {};               // that says so; empty when a release itself does
  std::string detail = {};             // the metadata's key
  std::optional<RiskId> risk = {};     // Risk and Targeted: what clusters decide by
  std::optional<RuleId> rule = {};     // Targeted
  std::optional<RiskId> refusal = {};  // Targeted: what a refused client is shown; none: the edge is left out
  std::optional<std::size_t> block = {};  // index into the graph data's blocks
};

// A query of seed 000, asked once for all the blocks that share it.
struct TargetedRule {
  std::string query;
  std::vector<std::string> files;
};

struct GraphParts;

class Graph {
 public:
  explicit Graph(GraphParts parts);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::span<const Edge> edges_from(NodeId id) const {
    return std::span(edges_).subspan(first_edge_[id], first_edge_[id + 1] - first_edge_[id]);
  }
  std::size_t edge_count() const { return edges_.size(); }
  const Edge* find_edge(NodeId from, NodeId to) const;

  // In order of their names; channels in the order in which they are listed.
  std::span<const std::string> architectures() const { return architectures_; }
  std::span<const std::string> channels() const { return channels_; }
  std::optional<ArchId> find_architecture(std::string_view name) const;
  std::optional<ChannelId> find_channel(std::string_view name) const;
  // `version` without build part.
  std::optional<NodeId> find(std::string_view version, ArchId arch) const;
  // The releases of a channel for an architecture, in order.
  std::span<const NodeId> members(ChannelId channel, ArchId arch) const;
  bool is_member(NodeId node, ChannelId channel) const;

  std::size_t policy_count() const { return first_reason_.size() - 1; }
  std::span<const ReasonId> policy(PolicyId id) const {
    return std::span(policy_reasons_).subspan(first_reason_[id], first_reason_[id + 1] - first_reason_[id]);
  }
  const Reason& reason(ReasonId id) const { return reasons_[id]; }
  // Equal risks of several files are one; in no order that means anything.
  std::span<const Risk> risks() const { return risks_; }
  std::span<const TargetedRule> targeted_rules() const { return rules_; }

 private:
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_edge_;
  std::vector<Edge> edges_;
  std::vector<std::string> architectures_;
  std::vector<std::string> channels_;
  std::vector<std::size_t> first_member_;  // by channel, then architecture
  std::vector<NodeId> members_;
  std::vector<std::size_t> first_reason_;
  std::vector<ReasonId> policy_reasons_;
  std::vector<Reason> reasons_;
  std::vector<Risk> risks_;
  std::vector<TargetedRule> rules_;
  std::vector<std::unordered_map<std::string_view, NodeId>>
      by_version_;  // by architecture; keys are nodes_' own
};

// What the builder hands over; everything already in order.
struct GraphParts {
  std::vector<Node> nodes;
  std::vector<std::size_t> first_edge;
  std::vector<Edge> edges;
  std::vector<std::string> architectures;
  std::vector<std::string> channels;
  std::vector<std::size_t> first_member;
  std::vector<NodeId> members;
  std::vector<std::size_t> first_reason;
  std::vector<ReasonId> policy_reasons;
  std::vector<Reason> reasons;
  std::vector<Risk> risks;
  std::vector<TargetedRule> rules;
};

}  // namespace fairway::graph
