// The decision of played nodes about one Deployment: which pods there are, and what its status says. Pure.
//
// Where there is no kubelet, no scheduler and no Deployment controller, this stands in for all three, for the
// Deployments that it is asked to: pods are made and replaced within the bounds of the rolling update, run at
// an address of their own, become ready, and are available when they have been so for minReadySeconds. A
// pod's name follows from its template and a number, so that none is made twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "cloud/addresses.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"
#include "kube/core/plan.hpp"

namespace fairway::cloud::nodes {

inline constexpr std::string_view kPlayedLabel = "cloud.fairway.dev/played";

struct Settings {
  Network pods{0x7f580000, 16};  // 127.88.0.0/16
  std::uint16_t port_offset = 0;
  std::string node = "fairway-node";
  std::optional<Duration> min_ready = {};  // instead of a Deployment's minReadySeconds
};

struct Observed {
  using Object = std::shared_ptr<const json::Object>;  // null: there is none
  struct Pod {
    Object object;
    std::string address = {};  // that it has or will have; empty: none is free
    bool is_running = false;
  };

  kube::ObjectKey key = {};
  Object deployment = {};
  std::vector<Pod> pods = {};                // that were made for a Deployment of this name
  std::vector<kube::ObjectKey> ghosts = {};  // that run and are no longer there
  std::shared_ptr<const Settings> settings = {};
  WallTime now = {};
};

struct CreatePod {
  json::Object pod;
};
// At once, without grace.
struct DeletePod {
  kube::ObjectKey key;
  std::string uid;
};
// A port that a pod listens on, and the paths on which it is asked for its health.
struct PodPort {
  std::uint16_t port = 0;
  std::set<std::string> health_paths = {};
  bool operator==(const PodPort&) const = default;
};
struct RunPod {
  kube::ObjectKey key;
  std::string uid;
  std::string address;
  std::vector<PodPort> ports;
};
struct StopPod {
  kube::ObjectKey key;
};
struct WritePodStatus {
  Observed::Object pod;
  json::Object status;
};
struct WriteDeploymentStatus {
  Observed::Object deployment;
  json::Object patch;  // of the status
};

using Action = std::variant<CreatePod, DeletePod, RunPod, StopPod, WritePodStatus, WriteDeploymentStatus>;
std::string describe(const Action& action);

kube::Plan<Action> decide(const Observed& seen);

// By its pod template; the same for the same template.
std::string template_hash(const json::Object& deployment);
std::vector<PodPort> ports_of(const json::Object& pod, const Settings& settings);

}  // namespace fairway::cloud::nodes
