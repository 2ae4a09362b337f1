// show: a graph for people, as text or as a picture's source.
//
// The text has one edge a line: `A -> B`, or `A -(blocked: R1, R2)-> B` for a conditional one. Graphviz and
// Mermaid get versions as nodes and conditional edges dashed, with the risks' names. The same graph always
// gives the same text.
#pragma once

#include <string>

#include "graph/document.hpp"

namespace fairway::graph {

std::string to_edge_lines(const Document& document);
std::string to_dot(const Document& document);
std::string to_mermaid(const Document& document);

}  // namespace fairway::graph
