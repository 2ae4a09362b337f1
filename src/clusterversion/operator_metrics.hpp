// The operator's metrics, under the names that existing dashboards and alerts use; those of our own begin
// with fairway_cluster_version_. What describes the object is worked out when it is asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

class OperatorMetrics {
 public:
  using Object = std::function<std::shared_ptr<const ClusterVersion>()>;

  // `object` is called when metrics are asked for, on the thread that asks: the operator's own.
  OperatorMetrics(metrics::Registry& registry, Object object);

  void fetched(std::string_view failure);  // the reason; empty for a success
  void settled(WallTime when);             // last success, or change of what is asked for
  void asked(std::string_view outcome);
  void left_out(std::string_view cause);
  void wrote(bool is_accepted);
  void applied(bool is_accepted);

 private:
  void collect();
  void collect_versions(const ClusterVersion& object);
  void collect_updates(const ClusterVersion& object);
  void collect_conditions(const ClusterVersion& object);

  Object object_;
  metrics::GaugeSet versions_;
  metrics::GaugeSet available_;
  metrics::GaugeSet conditional_;
  metrics::GaugeSet risks_;
  metrics::GaugeSet conditions_;
  metrics::Family<metrics::Gauge>& retrieved_at_;
  metrics::Family<metrics::Counter>& fetches_;
  metrics::Family<metrics::Counter>& queries_;
  metrics::Family<metrics::Counter>& left_out_;
  metrics::Family<metrics::Counter>& writes_;
  metrics::Family<metrics::Counter>& manifests_;
  metrics::Registry::Collector collector_;  // last: it calls the others
};

}  // namespace fairway::clusterversion
