// Tools: the questions about a graph that the service answers beyond the protocol, as JSON.
//
// Each takes a graph and the query of a request and gives a document or a problem. They compute for
// milliseconds, so the service runs them on a worker. Pure.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.hpp"
#include "graph/outcome.hpp"
#include "updateservice/problem.hpp"

namespace fairway::updateservice {

// from, to, arch, channel: why this update is recommended, conditional, blocked or missing; which file says
// so.
Judged<std::string> explain(const graph::Graph& graph, const graph::AllowedRules& allowed,
                            std::string_view query);

// from, to, arch, channel (repeatable), fewest=hops|risks, accept (repeatable), recommended=true.
Judged<std::string> find_way(const graph::Graph& graph, const graph::AllowedRules& allowed,
                             std::string_view query);

// arch, channel, with: what the channel offers that another channel of the same graph (`with`) or the same
// channel of an older graph does not, and the other way round.
Judged<std::string> compare(const graph::Graph& before, const graph::Graph& after,
                            const graph::AllowedRules& allowed, std::string_view query);

// channel, arch: the graph as a client gets it. For graphs that are not served all the time.
Judged<std::string> render(const graph::Graph& graph, const graph::AllowedRules& allowed,
                           std::string_view query);

// The channels, with the number of releases for each architecture.
std::string list_channels(const graph::Graph& graph);

}  // namespace fairway::updateservice
