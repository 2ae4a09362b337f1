// Retrieval: which graph is asked for, when, and what becomes of the answer. Pure: times are given.
//
// A failure never throws away what is still likely to hold: when nothing was changed and the last success is
// recent, the updates that were found stay on offer and go on being evaluated. A change of service, channel,
// architecture or version starts over.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "clusterversion/offer.hpp"
#include "clusterversion/query_schedule.hpp"

namespace fairway::clusterversion {

inline constexpr std::string_view kDefaultUpdateService =
    "https://api.openshift.com/api/upgrades_info/v1/graph";

struct RetrievalSettings {
  std::string update_service = {};              // of the operator; empty: what the object says
  std::string architecture = "amd64";           // of this machine, as Go names it
  Duration interval = std::chrono::minutes(3);  // between two attempts: drawn once, 2 to 4 minutes
  Duration keep = std::chrono::hours(24);       // how long old updates outlive failures
};

// A factor in [1, 2) on the base period of two minutes, from a number in [0, 1).
Duration retrieval_interval(double drawn, Duration period = std::chrono::minutes(2));

// Everything that a request depends on.
struct GraphRequest {
  std::string service;  // as the user wrote it
  std::string url;      // with the query
  GraphQuestion question;
  std::string architecture;
  bool operator==(const GraphRequest& other) const {
    return url == other.url && question.is_multi == other.question.is_multi;
  }
};

// The request for this cluster, or why none can be made. `current` is the running release.
std::expected<GraphRequest, RetrievalFailure> graph_request(const ClusterVersionSpec& spec,
                                                            const Release& current,
                                                            const RetrievalSettings& settings);

// The service that counts: the operator's, the object's, the default.
std::string effective_service(const ClusterVersionSpec& spec, const RetrievalSettings& settings);

struct RetrievalState {
  std::optional<GraphRequest> request = {};  // of the last attempt
  std::optional<SteadyTime> attempted = {};
  std::optional<Moment> settled = {};  // last success, or change of what is asked for
  std::optional<RetrievalFailure> failure = {};
  std::shared_ptr<const Offer> offer = {};
  bool is_under_way = false;
};

struct FetchDecision {
  bool is_due = false;
  bool failure_clears = false;
  std::optional<SteadyTime> next = {};  // when it will be, if it is not
  std::string why = {};
};
FetchDecision when_to_fetch(const RetrievalState& state, const GraphRequest& wanted,
                            const RetrievalSettings& settings, SteadyTime now);

// The state when a request is sent, and when its answer is there.
void begin_fetch(RetrievalState& state, const GraphRequest& request, Moment now);
void end_fetch(RetrievalState& state, std::expected<GraphAnswer, RetrievalFailure> answer,
               bool failure_clears, const Storable& storable, Moment begun);
// RetrievedUpdates, without a time.
kube::Condition retrieved_updates(const RetrievalState& state);

}  // namespace fairway::clusterversion
