// A cluster as values, for tests of the decision: an object, a memory, a clock, and the actions carried out
// as the operator carries them out, with far ends that say what the test wants.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clusterversion/decide.hpp"

namespace fairway::clusterversion::testing {

inline const std::string kOldImage = "registry.example/release@sha256:0623";
inline const std::string kNewImage = "registry.example/release@sha256:0704";

struct SimulatedCluster {
  SimulatedCluster();

  Observed observe() const;
  // Conflict when the object is not the one that was seen.
  Result<void> act(const Observed& seen, const Action& action);
  // Looks and acts until nothing is left to do; the actions, a line each.
  std::string settle(int most_rounds = 60);
  void pass(Duration time);
  void restart();  // of the operator: it forgets

  ClusterVersion object;
  int version = 1;  // of the resource
  Memory memory;
  UpgradeFacts facts;
  Moment now{SteadyTime(std::chrono::hours(2)), WallTime(std::chrono::hours(480000))};
  std::shared_ptr<OperatorSettings> settings = std::make_shared<OperatorSettings>();

  // The far ends.
  GraphAnswer graph;
  std::optional<RetrievalFailure> graph_failure;
  std::map<std::string, QueryOutcome> answers;  // of queries; without one: a failure
  std::map<std::string, Retrieval> releases;    // by image
  std::map<std::string, Error> refused;         // manifests that cannot be applied, by description
  std::map<std::string, json::Object> live;     // what the server has after an apply, where it is not ready

  // What happened.
  std::vector<std::string> applied;  // "image manifest", in order
  std::vector<std::string> asked;    // queries
  int fetches = 0;
  int writes = 0;
};

// A cluster whose graph has so many conditional updates, with three risks each, which share so many queries
// (an even number). All was retrieved, evaluated and published: there is nothing left to do. Every second
// query matches, and every second update is exposed to its three.
SimulatedCluster large_cluster(int updates, int queries);

// A release with ConfigMaps of these names.
Retrieval release_with(const std::string& version, const std::string& image,
                       const std::vector<std::string>& names);

}  // namespace fairway::clusterversion::testing
