// The guards of promote.hpp: what keeps a version out of a channel although it has rested long enough, and
// what people should look at. Only promote*.cpp include this.
#pragma once

#include "graph/document.hpp"
#include "graph/finding.hpp"
#include "graph/graph_data.hpp"

namespace fairway::graph {

// Risks of the next-lower patch of the same minor that are neither fixed in this version nor declared for it.
Findings undeclared_risks(const GraphData& data, const Channel& channel, const SemVer& version);

// A version of an older minor has to have a way, at a risk or not, to the minor that the channel is named
// after. Candidate channels may strand it.
Findings no_way_out(const Channel& channel, const SemVer& version, const Document& releases);

// Versions, but for the newest of their minor, without a recommended update within the minor; of each minor
// the newest such version only, since the older ones can go by way of it.
void warn_unconnected_patches(const Channel& channel, const Document& releases, Findings& findings);

}  // namespace fairway::graph
