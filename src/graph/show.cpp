#include "graph/show.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::graph {
namespace {

std::string names(const Document& document, const Document::Edge& edge) {
  return join(document.risk_names(edge), ", ");
}

// Names come from outside; a quote would end the label.
std::string dot_quoted(std::string_view text) {
  return "\"" + replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\"") + "\"";
}

std::string mermaid_quoted(std::string_view text) {
  return "\"" + replace_all(replace_all(replace_all(text, "&", "&amp;"), "\"", "&quot;"), "<", "&lt;") + "\"";
}

}  // namespace

std::string to_edge_lines(const Document& document) {
  std::string text;
  for (const Document::Edge& edge : document.edges) {
    const std::string& from = document.nodes[edge.from].text;
    const std::string& to = document.nodes[edge.to].text;
    text += edge.is_conditional() ? fmt::format("{} -(blocked: {})-> {}\n", from, names(document, edge), to)
                                  : fmt::format("{} -> {}\n", from, to);
  }
  return text;
}

std::string to_dot(const Document& document) {
  std::string text = "digraph updates {\n  rankdir=BT;\n  node [shape=box];\n";
  for (std::size_t i = 0; i < document.nodes.size(); ++i) {
    text += fmt::format("  n{} [label={}{}];\n", i, dot_quoted(document.nodes[i].text),
                        document.nodes[i].is_abstract ? ", style=dotted" : "");
  }
  for (const Document::Edge& edge : document.edges) {
    text += fmt::format("  n{} -> n{}", edge.from, edge.to);
    if (edge.is_conditional())
      text += fmt::format(" [style=dashed, label={}]", dot_quoted(names(document, edge)));
    text += ";\n";
  }
  return text + "}\n";
}

std::string to_mermaid(const Document& document) {
  std::string text = "flowchart BT\n";
  for (std::size_t i = 0; i < document.nodes.size(); ++i)
    text += fmt::format("  n{}[{}]\n", i, mermaid_quoted(document.nodes[i].text));
  for (const Document::Edge& edge : document.edges) {
    text += edge.is_conditional() ? fmt::format("  n{} -. {} .-> n{}\n", edge.from,
                                                mermaid_quoted(names(document, edge)), edge.to)
                                  : fmt::format("  n{} --> n{}\n", edge.from, edge.to);
  }
  return text;
}

}  // namespace fairway::graph
