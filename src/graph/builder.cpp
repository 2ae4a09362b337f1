#include "graph/builder.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "graph/builder_parts.hpp"

namespace fairway::graph {
namespace {

using namespace building;

// From edges by target to edges by source, each with its policy.
void write_edges(std::span<const Packed> edges, std::span<const PolicyId> policies, GraphParts& parts) {
  const std::size_t count = parts.nodes.size();
  parts.first_edge.assign(count + 1, 0);
  for (const Packed edge : edges) ++parts.first_edge[from_of(edge) + 1];
  for (std::size_t i = 0; i < count; ++i) parts.first_edge[i + 1] += parts.first_edge[i];
  std::vector<std::size_t> next(parts.first_edge.begin(), parts.first_edge.end() - 1);
  parts.edges.resize(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    parts.edges[next[from_of(edges[i])]++] = Edge{to_of(edges[i]), policies[i]};
  }
}

}  // namespace

Result<Build> build_graph(std::span<const Release> releases, const GraphData& data,
                          const BuildOptions& options) {
  Build build;
  Nodes nodes = collect_nodes(releases, options, build.alerts);
  const NodeIndex index = index_nodes(nodes);
  join_raw_metadata(data, nodes.nodes);
  Membership membership = join_channels(data, nodes, index);
  add_edges(nodes, index, build.alerts);
  sort_edges(nodes.edges, nodes.nodes.size());
  const std::vector<Packed> closing = find_closing_edges(nodes.edges, nodes.nodes);
  for (const Packed edge : closing) {
    build.alerts.push_back(
        {.id = "graph-cycle",
         .severity = options.exclude_conflicts ? Severity::Warning : Severity::Error,
         .message = fmt::format("the update from {} to {} leads down and closes a cycle; it is left out",
                                nodes.nodes[from_of(edge)].text, nodes.nodes[to_of(edge)].text),
         .fix = "remove it from the release's previous or next, or from raw/metadata.json",
         .refuses = !options.exclude_conflicts});
  }
  Verdicts verdicts = judge_edges(nodes.edges, closing, nodes, index, data, build.alerts);
  sort_findings(build.alerts);
  if (any_refuses(build.alerts)) return std::unexpected(refusal(build.alerts));

  GraphParts parts{.nodes = std::move(nodes.nodes),
                   .architectures = std::move(nodes.architectures),
                   .channels = std::move(membership.channels),
                   .first_member = std::move(membership.first_member),
                   .members = std::move(membership.members),
                   .reasons = std::move(verdicts.reasons),
                   .risks = std::move(verdicts.risks),
                   .rules = std::move(verdicts.rules)};
  write_edges(nodes.edges, verdicts.policies, parts);
  verdicts.table.write(parts.first_reason, parts.policy_reasons);
  build.graph = std::make_shared<const Graph>(std::move(parts));
  return build;
}

}  // namespace fairway::graph
