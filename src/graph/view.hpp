// ViewRenderer: the bytes that a client gets for one channel and architecture.
//
// Reads the graph in place; nothing is copied but the text. The order is total (nodes by version, edges by
// their ends, groups by their first edge, risks by file, keys of metadata by name), so that the same graph
// always gives the same bytes. One renderer serves all views of one set of allowed rules, from one thread.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "graph/outcome.hpp"

namespace fairway::graph {

class ViewRenderer {
 public:
  ViewRenderer(const Graph& graph, const AllowedRules& allowed);

  // {"version":1,"nodes":[…],"edges":[[0,1],…],"conditionalEdges":[…]}
  std::string render(ChannelId channel, ArchId arch);

 private:
  struct Group {
    RiskListId risks;
    std::vector<std::pair<NodeId, NodeId>> edges;
  };
  void append_nodes(std::span<const NodeId> members, std::string& out);
  void append_edges(std::span<const NodeId> members, std::string& out);
  void append_groups(std::string& out) const;

  const Graph& graph_;
  Outcomes outcomes_;
  std::vector<std::string> risk_texts_;   // by risk
  std::vector<std::string> node_texts_;   // by node, filled when first needed: channels share most of them
  std::vector<std::uint32_t> positions_;  // of nodes in the view; scratch
  std::vector<std::uint32_t> group_of_;   // by risk list; scratch
  std::vector<Group> groups_;             // of the view; scratch
};

// What every client gets for a channel or architecture that does not exist.
std::string empty_view();

// The builder's form: all channels and architectures, versions with their architecture, abstract nodes
// included, no "version".
std::string render_whole(const Graph& graph, const AllowedRules& allowed);

}  // namespace fairway::graph
