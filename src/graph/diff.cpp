#include "graph/diff.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "graph/json_lists.hpp"

namespace fairway::graph {
namespace {

struct Described {
  EdgeState state;
  std::string risks;  // their whole text
};

using Edges = std::map<std::pair<SemVer, SemVer>, Described>;

Edges describe(const Document& document) {
  std::vector<std::string> texts;
  texts.reserve(document.risks.size());
  for (const Risk& risk : document.risks) texts.push_back(json::serialize(to_json(risk)));
  std::vector<std::string> lists;
  lists.reserve(document.risk_lists.size());
  for (const auto& list : document.risk_lists) {
    std::string text;
    for (const std::uint32_t risk : list) text += texts[risk];
    lists.push_back(std::move(text));
  }
  Edges edges;
  for (const Document::Edge& edge : document.edges) {
    edges.emplace(
        std::pair(document.nodes[edge.from].version, document.nodes[edge.to].version),
        Described{{true, document.risk_names(edge)}, edge.is_conditional() ? lists[edge.risks] : ""});
  }
  return edges;
}

void compare_nodes(const Document& before, const Document& after, Diff& diff) {
  auto left = before.nodes.begin();
  auto right = after.nodes.begin();
  while (left != before.nodes.end() || right != after.nodes.end()) {
    if (right == after.nodes.end() || (left != before.nodes.end() && left->version < right->version)) {
      diff.removed.push_back((left++)->text);
    } else if (left == before.nodes.end() || right->version < left->version) {
      diff.added.push_back((right++)->text);
    } else {
      if (left->payload != right->payload) diff.changed.push_back(left->text);
      ++left;
      ++right;
    }
  }
}

void compare_edges(const Edges& before, const Edges& after, Diff& diff) {
  auto left = before.begin();
  auto right = after.begin();
  const auto change = [&](const auto& ends, EdgeState was, EdgeState is) {
    diff.edges.push_back({ends.first.to_string(), ends.second.to_string(), std::move(was), std::move(is)});
  };
  while (left != before.end() || right != after.end()) {
    if (right == after.end() || (left != before.end() && left->first < right->first)) {
      change(left->first, left->second.state, {});
      ++left;
    } else if (left == before.end() || right->first < left->first) {
      change(right->first, {}, right->second.state);
      ++right;
    } else {
      if (left->second.state != right->second.state || left->second.risks != right->second.risks) {
        change(left->first, left->second.state, right->second.state);
      }
      ++left;
      ++right;
    }
  }
}

std::string describe(const EdgeState& state) {
  if (!state.exists) return "absent";
  return state.risks.empty() ? "recommended" : fmt::format("conditional on {}", join(state.risks, ", "));
}

json::Value to_value(const EdgeState& state) {
  if (!state.exists) return nullptr;
  return json::Object{{"risks", to_array(state.risks)}};
}

}  // namespace

Diff diff(const Document& before, const Document& after) {
  Diff diff;
  compare_nodes(before, after, diff);
  compare_edges(describe(before), describe(after), diff);
  return diff;
}

std::string to_text(const Diff& diff) {
  std::string text;
  for (const std::string& version : diff.removed) text += fmt::format("- {}\n", version);
  for (const std::string& version : diff.added) text += fmt::format("+ {}\n", version);
  for (const std::string& version : diff.changed) text += fmt::format("~ {}: another payload\n", version);
  for (const EdgeChange& change : diff.edges) {
    const char mark = !change.before.exists ? '+' : !change.after.exists ? '-' : '~';
    text += fmt::format("{} {} -> {}: ", mark, change.from, change.to);
    if (change.before == change.after) {
      text += fmt::format("{}, the risks' texts changed\n", describe(change.after));
    } else if (!change.before.exists) {
      text += fmt::format("{}\n", describe(change.after));
    } else {
      text += fmt::format("{}, was {}\n", describe(change.after), describe(change.before));
    }
  }
  return text;
}

json::Object to_json(const Diff& diff) {
  json::Array edges;
  for (const EdgeChange& change : diff.edges) {
    edges.push_back(json::Object{{"from", change.from},
                                 {"to", change.to},
                                 {"before", to_value(change.before)},
                                 {"after", to_value(change.after)}});
  }
  return json::Object{{"versions", json::Object{{"added", to_array(diff.added)},
                                                {"removed", to_array(diff.removed)},
                                                {"changed", to_array(diff.changed)}}},
                      {"edges", std::move(edges)}};
}

}  // namespace fairway::graph
