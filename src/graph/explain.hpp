// explain_edge: why one update is recommended, conditional, blocked or not there, and which file says so.
//
// Answers from the graph alone, for one architecture and, if given, one channel, as a client of that channel
// would be answered. Every question gets an answer; a version that does not exist is one, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"
#include "graph/outcome.hpp"
#include "json/value.hpp"

namespace fairway::graph {

struct EdgeQuestion {
  std::string from;
  std::string to;
  std::string arch = "amd64";
  std::optional<std::string> channel = {};
};

struct Explanation {
  enum class Verdict {
    Recommended,
    Conditional,
    Blocked,       // declared, and removed by what `causes` lists
    NotDeclared,   // neither release names the other
    NotInChannel,  // both exist, but the channel lacks one
    NoSuchVersion,
    NoSuchChannel,
    NoSuchArchitecture,
  };
  struct Cause {
    std::string file;  // empty when the release itself says so
    std::string what;
    std::optional<Risk> risk = {};
  };

  Verdict verdict = Verdict::NotDeclared;
  std::string summary;  // one sentence
  std::vector<Cause> causes = {};
};

std::string_view to_string(Explanation::Verdict verdict);

Explanation explain_edge(const Graph& graph, const EdgeQuestion& question, const AllowedRules& allowed);

std::string to_text(const Explanation& explanation);
json::Object to_json(const Explanation& explanation);

}  // namespace fairway::graph
