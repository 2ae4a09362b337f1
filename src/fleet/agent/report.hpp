// The status of a ConfigurationPolicy after a look at it (spec 5.7). Pure.
//
// Times of transitions and messages of the history move only when what they are about changes, so that a look
// that finds nothing new writes nothing.
#pragma once

#include <string>
#include <vector>

#include "fleet/agent/messages.hpp"
#include "fleet/agent/observed.hpp"
#include "fleet/agent/verdicts.hpp"

namespace fairway::fleet::agent {

inline constexpr std::size_t kMostHistory = 10;

struct Report {
  std::vector<Finding> findings = {};  // one for each template
  std::vector<Verdict> verdicts = {};  // of all
  std::string message = {};            // for the history
  std::string message_before = {};     // the same before the pass acted; empty when it did not act
  bool is_terminating = false;
  bool is_incomplete = false;  // some template could not be told: what was known of objects stays on record

  bool is_compliant() const;
};

json::Object next_status(const Observed& seen, const Report& report);
// Whether the new status says more than that it was looked at again.
bool is_news(const json::Object& before, const json::Object& after);

// status.relatedObjects as it was last written. Entries without a name are left out.
std::vector<Related> related_of(const json::Object& policy);

}  // namespace fairway::fleet::agent
