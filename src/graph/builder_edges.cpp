// Edges: those that metadata adds, their order, and cycles.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/text.hpp"
#include "graph/builder_parts.hpp"

namespace fairway::graph::building {
namespace {

constexpr NodeId kNone = std::numeric_limits<NodeId>::max();

// Tarjan's strongly connected components, without recursion: a chain of releases may be as long as it likes.
class Components {
 public:
  Components(std::span<const std::size_t> first, std::span<const NodeId> targets)
      : first_(first),
        targets_(targets),
        index_(first.size() - 1, kNone),
        low_(first.size() - 1),
        component_(first.size() - 1, kNone) {
    for (NodeId id = 0; id < index_.size(); ++id) {
      if (index_[id] == kNone) visit(id);
    }
  }
  NodeId of(NodeId id) const { return component_[id]; }

 private:
  struct Frame {
    NodeId node;
    std::size_t next;  // edge to look at
  };

  void enter(NodeId id) {
    index_[id] = low_[id] = counter_++;
    stack_.push_back(id);
    frames_.push_back({id, first_[id]});
  }

  void visit(NodeId root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next < first_[frame.node + 1]) {
        const NodeId to = targets_[frame.next++];
        if (index_[to] == kNone) {
          enter(to);
        } else if (component_[to] == kNone) {
          low_[frame.node] = std::min(low_[frame.node], index_[to]);
        }
      } else {
        leave();
      }
    }
  }

  void leave() {
    const NodeId id = frames_.back().node;
    frames_.pop_back();
    if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[id]);
    if (low_[id] != index_[id]) return;
    NodeId member = kNone;
    do {
      member = stack_.back();
      stack_.pop_back();
      component_[member] = id;
    } while (member != id);
  }

  std::span<const std::size_t> first_;
  std::span<const NodeId> targets_;
  std::vector<NodeId> index_, low_, component_, stack_;
  std::vector<Frame> frames_;
  NodeId counter_ = 0;
};

// `previous`: the listed versions lead to the node; otherwise the node leads to them.
void add_listed(Nodes& nodes, const NodeIndex& index, NodeId id, std::string_view name, bool previous,
                Findings& alerts) {
  const Node& node = nodes.nodes[id];
  const auto listed = node.metadata.find(name);
  if (listed == node.metadata.end()) return;
  for (std::string_view part : split(listed->second, ',')) {
    const std::string_view text = trim(part);
    if (text.empty()) continue;
    const auto version = SemVer::parse(text);
    if (!version) {
      alerts.push_back({.id = "metadata-version",
                        .message = fmt::format("{} of {}: {}", name, node.text, version.error().message),
                        .fix = "write full versions, separated by commas",
                        .refuses = true});
      continue;
    }
    const NodeId* other = index.find(node.arch, plain_text(*version));
    if (other == nullptr || nodes.nodes[*other].is_abstract) {
      alerts.push_back({.id = "metadata-unknown-version",
                        .severity = Severity::Warning,
                        .message = fmt::format("{} of {} names {}, which is no release of this architecture",
                                               name, node.text, text),
                        .fix = "remove it, or add the release"});
      continue;
    }
    nodes.edges.push_back(previous ? pack(*other, id) : pack(id, *other));
  }
}

}  // namespace

void add_edges(Nodes& nodes, const NodeIndex& index, Findings& alerts) {
  for (NodeId id = 0; id < nodes.nodes.size(); ++id) {
    add_listed(nodes, index, id, key::kPreviousAdd, true, alerts);
    add_listed(nodes, index, id, key::kNextAdd, false, alerts);
  }
}

void sort_edges(std::vector<Packed>& edges, std::size_t node_count) {
  // Two counting sorts, by source and then by target: linear, and faster than comparing.
  std::vector<Packed> other(edges.size());
  const auto pass = [&](std::vector<Packed>& from, std::vector<Packed>& to, NodeId (*key)(Packed)) {
    std::vector<std::size_t> next(node_count + 1, 0);
    for (const Packed edge : from) ++next[key(edge) + 1];
    for (std::size_t i = 0; i < node_count; ++i) next[i + 1] += next[i];
    for (const Packed edge : from) to[next[key(edge)]++] = edge;
  };
  pass(edges, other, from_of);
  pass(other, edges, to_of);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

std::vector<Packed> find_closing_edges(std::span<const Packed> edges, std::span<const Node> nodes) {
  std::vector<Packed> down;
  for (const Packed edge : edges) {
    if (from_of(edge) >= to_of(edge)) down.push_back(edge);
  }
  if (down.empty()) return {};  // numbers only grow along edges, so there is no way back

  std::vector<std::size_t> first(nodes.size() + 1, 0);
  for (const Packed edge : edges) ++first[from_of(edge) + 1];
  for (std::size_t i = 0; i < nodes.size(); ++i) first[i + 1] += first[i];
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  std::vector<NodeId> targets(edges.size());
  for (const Packed edge : edges) targets[next[from_of(edge)]++] = to_of(edge);
  const Components components(first, targets);
  // An edge lies on a cycle exactly when both its ends are in one component. Without those that lead down, a
  // component only has edges that lead up.
  std::erase_if(down,
                [&](Packed edge) { return components.of(from_of(edge)) != components.of(to_of(edge)); });
  return down;
}

PolicyId PolicyTable::with(PolicyId list, ReasonId reason) {
  const std::uint64_t key = (std::uint64_t{list} << 32) | reason;
  const auto [place, is_new] = ids_.try_emplace(key, static_cast<PolicyId>(parents_.size()));
  if (is_new) parents_.push_back({list, reason});
  return place->second;
}

void PolicyTable::write(std::vector<std::size_t>& first, std::vector<ReasonId>& reasons) const {
  first.assign(1, 0);
  for (PolicyId id = 0; id < parents_.size(); ++id) {
    std::vector<ReasonId> list;
    for (PolicyId rest = id; rest != kNoPolicy; rest = parents_[rest].rest)
      list.push_back(parents_[rest].last);
    reasons.insert(reasons.end(), list.rbegin(), list.rend());
    first.push_back(reasons.size());
  }
}

}  // namespace fairway::graph::building
