// Document: a graph as plain values, as any client of any update service sees it.
//
// Made from a Graph (document_of) or from somebody's graph JSON (read_document); written back by to_json().
// Both give the same order as the service's answers: nodes by version, edges by their ends. Each pair of
// versions has at most one edge, recommended or conditional on a list of risks. The tools (path, audit, diff,
// show) work on this.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/graph.hpp"
#include "graph/outcome.hpp"

namespace fairway::graph {

inline constexpr std::uint32_t kRecommended = std::numeric_limits<std::uint32_t>::max();

struct Document {
  struct Node {
    SemVer version;
    std::string text;  // as the document writes the version
    std::string payload = {};
    Metadata metadata = {};
    bool is_abstract = false;
  };
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t risks = kRecommended;  // index into risk_lists

    bool is_conditional() const { return risks != kRecommended; }
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Risk> risks;
  std::vector<std::vector<std::uint32_t>> risk_lists;  // indexes into risks

  std::optional<std::uint32_t> find(std::string_view text) const;
  std::span<const Edge> edges_from(std::uint32_t node) const;
  // "A, B": the names of an edge's risks; empty when it is recommended.
  std::vector<std::string> risk_names(const Edge& edge) const;
  // The channels that the node's metadata lists.
  std::vector<std::string> channels_of(std::uint32_t node) const;
};

// The answer for a channel and architecture; without a channel, all concrete releases of the architecture.
Document document_of(const Graph& graph, std::optional<ChannelId> channel, ArchId arch,
                     const Outcomes& outcomes);

// Strict: duplicate or unknown keys at the top, an empty or repeated version, an index out of range or a
// cycle are errors. "version" at the top may be there (an answer) or not (the builder's form); conditional
// edges whose ends are no nodes are left out. Two groups that name one edge are joined.
Result<Document> read_document(std::string_view text);

// Compact, in the answer's form, "version" included.
std::string to_json(const Document& document);

}  // namespace fairway::graph
