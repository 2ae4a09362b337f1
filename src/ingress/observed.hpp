// Observed: all that the decision about one controller may look at. Values only.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "ingress/service.hpp"
#include "ingress/strategy.hpp"
#include "ingress/types.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::ingress {

// Which text Progressing has while a change of scope waits for the administrator.
enum class ProgressLayout {
  Commands,    // reason ScopeChanged, and the two commands
  Aggregated,  // reason IngressControllerProgressing, and the condition that says more
};

struct Settings {
  std::string router_image = "docker.io/library/haproxy:2.6";
  ProgressLayout layout = ProgressLayout::Commands;
  // A change in place, or a deletion, that takes longer is said to be stuck.
  Duration patience = std::chrono::minutes(10);
};

struct Observed {
  using Object = std::shared_ptr<const json::Object>;  // null: there is none

  kube::ObjectKey key = {};
  std::shared_ptr<const IngressController> controller = {};  // null: there is none
  ClusterConfig config = {};
  std::vector<std::string> domain_rivals = {};  // other admitted controllers with the same domain, by name
  Object operand_namespace = {};
  Object config_map = {};
  Object deployment = {};
  Object service = {};  // the one that publishes, or what else has its name
  Object internal_service = {};
  Object node_port_service = {};
  Object record = {};
  CloudReports cloud = {};
  std::size_t router_pods = 0;
  std::string service_refusal =
      {};  // why the last write of the Service failed for good; empty after a success
  WallTime now = {};
  std::shared_ptr<const Settings> settings = {};
};

}  // namespace fairway::ingress
