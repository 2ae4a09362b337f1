// audit: which versions of a channel cannot be left, or only at a risk.
//
// The newest version of a channel is its head; everything else should have a way there. Seed 004 asks for
// this with conditional edges and without: a cluster that a risk applies to, or that cannot evaluate it, only
// has the latter.
#pragma once

#include <string>
#include <vector>

#include "graph/document.hpp"
#include "json/value.hpp"

namespace fairway::graph {

struct Audit {
  std::string head;                                // empty for an empty graph
  std::vector<std::string> without_exit = {};      // no update leads away at all; the head is not counted
  std::vector<std::string> only_conditional = {};  // updates lead away, each at a risk
  std::vector<std::string> cut_off = {};           // has exits, but none of the ways on reaches the head
  std::vector<std::string> head_at_risk = {};  // recommended exits, but every way to the head passes a risk

  bool is_clean() const {
    return without_exit.empty() && only_conditional.empty() && cut_off.empty() && head_at_risk.empty();
  }
};

Audit audit(const Document& document);

json::Object to_json(const Audit& audit);

}  // namespace fairway::graph
