// Jobs that run on the managed clusters before a rollout: backup and pre-cache. Pure.
//
// The hub reaches a cluster by two kinds of objects in the cluster's namespace: a ManagedClusterAction does
// something to an object over there, a ManagedClusterView shows one. A job goes PreparingToStart (what an
// earlier run left is taken away) → Starting (its objects are made) → Active → Succeeded, BackupTimeout,
// PrecacheTimeout or UnrecoverableError. Each step says which views and actions there should be; nothing else
// is remembered. Limits of time are gates.hpp's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/types.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

struct JobKind {
  std::string_view name;        // in the names of views and actions
  std::string_view namespace_;  // on the cluster
  std::string_view job;
  std::string_view image;      // of the job, where nobody gives another
  std::string_view timed_out;  // the state of a job that took too long
};
inline constexpr JobKind kBackupJob = {
    "backup", "openshift-talo-backup", "backup-agent",
    "quay.io/openshift-kni/cluster-group-upgrades-operator-recovery:latest", "BackupTimeout"};
inline constexpr JobKind kPrecacheJob = {
    "precache", "openshift-talo-pre-cache", "pre-cache",
    "quay.io/openshift-kni/cluster-group-upgrades-operator-precache:latest", "PrecacheTimeout"};

bool is_running(std::string_view state);

// The views and actions of one rollout in one cluster's namespace, by name.
using ClusterObjects = std::map<std::string, std::shared_ptr<const json::Object>, std::less<>>;

struct JobRequest {
  const ClusterGroupUpgrade& rollout;
  JobKind kind;
  std::string cluster;
  std::string image = {};        // empty: the kind's
  json::Object config_map = {};  // data for the job; empty: none
};

struct JobStep {
  std::string state = {};
  std::vector<json::Object> create = {};
  std::vector<std::shared_ptr<const json::Object>> remove = {};
};
// From the state that is on record and what is seen to the next one. Of a job that has ended, what is left to
// tidy up.
JobStep next_step(const JobRequest& request, std::string_view state, const ClusterObjects& seen);

// What a view shows; null while it has shown nothing.
const json::Object* shown_by(const json::Object& view);
// Whether the cluster has answered that there is no such object.
bool shows_absence(const json::Object& view);

}  // namespace fairway::fleet
