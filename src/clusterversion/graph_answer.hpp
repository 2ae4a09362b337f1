// GraphAnswer: what the update service's graph says about one version, read and checked. Pure.
//
// The text comes from outside: whatever it holds, the result is either a value with everything that the
// version's updates need, or a failure with the reason and message of the condition RetrievedUpdates. Nodes
// that no update of this version leads to are not examined beyond their versions.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

// Of RetrievedUpdates=False.
struct RetrievalFailure {
  std::string reason;
  std::string message;
  bool operator==(const RetrievalFailure&) const = default;
};

struct GraphQuestion {
  std::string version;  // that the cluster runs
  std::string channel;
  bool wants_multi = false;  // the desired architecture is Multi …
  bool is_multi = false;     // … and so is the running one
};

struct ConditionalTarget {
  Release release;
  std::vector<Risk> risks;  // as they were sent
};

struct GraphAnswer {
  Release current;                             // what the graph knows of the running release
  std::vector<Release> updates;                // in the graph's order
  std::vector<ConditionalTarget> conditional;  // one for each edge of each group, in the graph's order
  std::vector<Risk> known_risks;               // of updates to the running release: each once, by name
};

std::expected<GraphAnswer, RetrievalFailure> read_graph_answer(std::string_view body,
                                                               const GraphQuestion& question);

// `Unable to retrieve available updates: <detail>`
RetrievalFailure cannot_retrieve(std::string reason, std::string_view detail);

}  // namespace fairway::clusterversion
