// Offer: the updates of a graph answer, checked so that each can be stored, and in the order of the status.
// Pure.
//
// One field that the API server refuses would cost the whole status, so everything that came from outside is
// judged here, target by target: what cannot be stored or understood is left out or made to fail closed, and
// said, and the other targets do not suffer. Nothing that this leaves out becomes recommended by that.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clusterversion/graph_answer.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

// What the served definition of ClusterVersion can store.
struct Storable {
  bool any_type = true;     // the type of a rule is not limited to those of today
  bool allows_none = true;  // a risk may have no rules
  bool tells_risks = true;  // each risk's verdict has a place of its own
};
// As the definition (a CustomResourceDefinition) says it; what cannot be found is taken as the strict form.
Storable storable_fields(const json::Object& definition);

struct OfferedRisk {
  Risk risk;                          // as it is published
  std::vector<MatchingRule> rules{};  // that are evaluated: recognised and well-formed
  bool had_rules = false;             // there were some, known or not
  bool is_divergent = false;          // another definition of the same name was dropped
};

struct OfferedUpdate {
  Release release;
  std::vector<OfferedRisk> risks;
};

struct LeftOut {
  std::string version;
  std::string cause;  // a CamelCase word, for metrics
  std::string why;
};

struct Offer {
  Release current;
  std::vector<Release> updates;            // recommended without conditions; decreasing
  std::vector<OfferedUpdate> conditional;  // decreasing
  std::vector<OfferedRisk> known_risks;    // of the running release
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
  bool tells_risks = true;  // where accepting them by name is switched on
};

inline constexpr std::size_t kMostTargets = 500;
inline constexpr std::size_t kMostRisks = 200;
inline constexpr std::size_t kMostRiskNameBytes = 256;  // where risks are told one by one
inline constexpr std::size_t kMostMessageBytes = 32768;

// At most so many bytes, cut where a character ends.
void shorten(std::string& text, std::size_t most);

Offer make_offer(const GraphAnswer& answer, const Storable& storable = {});

}  // namespace fairway::clusterversion
