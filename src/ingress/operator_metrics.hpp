// The operator's metrics. What describes the controllers is worked out when it is asked for.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "ingress/decide.hpp"

namespace fairway::ingress {

class OperatorMetrics {
 public:
  using Controllers = std::function<std::vector<std::shared_ptr<const IngressController>>()>;

  // `controllers` is called when metrics are asked for, on the thread that asks: the operator's own. The
  // clock outlives it.
  OperatorMetrics(metrics::Registry& registry, const Clock& clock, Controllers controllers);

  // After an action was carried out.
  void acted(const Action& action);

 private:
  void collect();

  const Clock& clock_;
  Controllers controllers_;
  metrics::GaugeSet conditions_;
  metrics::GaugeSet pending_;
  metrics::Family<metrics::Counter>& created_;
  metrics::Family<metrics::Counter>& deleted_;
  metrics::Registry::Collector collector_;  // last: it calls the others
};

}  // namespace fairway::ingress
