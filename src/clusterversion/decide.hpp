// The cluster-version operator's decision: from the object, what the operator remembers and the time, to what
// is done next. Pure, total, deterministic.
//
// What takes long (a graph, a query, a release) is begun by an action and ends on its own; its outcome is in
// the memory at the next look. The status is written first and only when it differs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "clusterversion/evaluation.hpp"
#include "clusterversion/retrieval.hpp"
#include "clusterversion/rollout.hpp"
#include "clusterversion/types.hpp"
#include "clusterversion/upgradeable.hpp"
#include "kube/core/plan.hpp"

namespace fairway::clusterversion {

struct OperatorSettings {
  RetrievalSettings retrieval = {};
  QueryPacing pacing = {};
  RolloutSettings rollout = {};
  bool accepts_risks = false;     // acceptRisks of the request counts
  bool fills_cluster_id = false;  // `_id=""` in queries becomes this cluster's
};

// What the operator knows and the object does not say. Begins empty with every start.
struct Memory {
  RetrievalState retrieval = {};
  QuerySchedule queries{};
  RolloutMemory rollout = {};
};

struct Observed {
  std::shared_ptr<const ClusterVersion> object = {};  // null: there is none
  Memory memory = {};
  UpgradeFacts facts = {};
  Moment now = {};
  std::shared_ptr<const OperatorSettings> settings = {};
};

struct WriteStatus {
  std::shared_ptr<const ClusterVersion> object;  // as it was seen
  ClusterVersionStatus status;
};
struct FetchGraph {
  GraphRequest request;
  bool failure_clears = false;
  std::string why;
};
struct AskQuery {
  std::string query;
  std::vector<std::string> wanted;  // all that are
};

using Action = std::variant<WriteStatus, FetchGraph, AskQuery, RetrieveRelease, ApplyManifest, CheckManifest>;
std::string describe(const Action& action);

kube::Plan<Action> decide(const Observed& seen);

// What the status should be; decide() writes it when it is not.
ClusterVersionStatus wanted_status(const Observed& seen);

inline constexpr std::string_view kExposedToKnownRisks = "ExposedToKnownRisks";

}  // namespace fairway::clusterversion
