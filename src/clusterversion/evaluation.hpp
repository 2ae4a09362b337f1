// Evaluation: from an offer and the answers to its queries to what the status says of updates. Pure.
//
// Verdicts come from the answers that are there; the queries that are still wanted are listed in the order in
// which they should be asked: those of the highest target first. Times of conditions are carried over from
// the status that was last published, so that they tell since when something holds.
#pragma once

#include <string>
#include <vector>

#include "clusterversion/offer.hpp"
#include "clusterversion/query_schedule.hpp"
#include "clusterversion/recommendation.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

struct EvaluationSettings {
  bool accepts_risks = false;   // acceptRisks counts, and risks are told one by one
  std::string cluster_id = {};  // put into queries that leave `_id=""` open; empty: they stay as they are
};

struct Evaluated {
  AvailableUpdates available = {};
  std::vector<ConditionalUpdate> conditional = {};
  std::vector<Risk> risks = {};             // each once, by name; only where risks are told one by one
  std::vector<std::string> wanted = {};     // queries, most urgent first
  std::vector<const Risk*> exposures = {};  // known risks of the running release that apply; in the offer
};

// `offer` may be null. `published` is the status that the object has.
Evaluated evaluate_offer(const Offer* offer, const QuerySchedule& queries, const AcceptedNames& accepted,
                         const ClusterVersionStatus& published, Moment now,
                         const EvaluationSettings& settings);

}  // namespace fairway::clusterversion
