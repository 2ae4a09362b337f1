// IngressOperator: keeps every IngressController of the operator's namespace published as it asks for.
// Observe → decide (decide.hpp) → act.
//
// It reads caches only: of the operands' namespace, of records, and of the cluster's three configuration
// objects; a change of any of them makes exactly the controllers due that it concerns. Nothing that safety
// depends on is remembered; what is remembered is why a write of a Service was refused, for the status to
// tell. Belongs to the runtime's event loop and outlives it.
//
//   IngressOperator ingress(runtime, settings, registry);
//   co_await ingress.prepare();
//   … runtime.run() …
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "ingress/cluster_operator.hpp"
#include "ingress/decide.hpp"
#include "ingress/events.hpp"
#include "ingress/operator_metrics.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::ingress {

struct OperatorSettings {
  Settings decisions = {};
  std::string platform = {};  // instead of what Infrastructure says
  std::string version = {};   // of this operator, for ClusterOperator
  std::size_t workers = 4;
};

class IngressOperator {
 public:
  // Adds its caches and its controller to the runtime. Both arguments outlive it.
  IngressOperator(kube::Runtime& runtime, OperatorSettings settings, metrics::Registry& registry);
  ~IngressOperator();
  IngressOperator(const IngressOperator&) = delete;
  IngressOperator& operator=(const IngressOperator&) = delete;

  // Learns which kinds the server has: a cluster may have neither configuration objects nor records. Before
  // the runtime runs.
  Task<void> prepare();

 private:
  Task<Observed> observe(kube::ObjectKey key);
  Task<void> act(Action action);

  Task<void> carry_out(const WriteStatus& action);
  Task<void> carry_out(const AddFinalizer& action);
  Task<void> carry_out(const RemoveFinalizer& action);
  Task<void> carry_out(const CreateService& action);
  Task<void> carry_out(const UpdateService& action);
  Task<void> carry_out(const DeleteService& action);
  Task<void> carry_out(const CreateOperand& action);
  Task<void> carry_out(const UpdateOperand& action);
  Task<void> carry_out(const DeleteOperand& action);

  Task<void> create(json::Object object);
  Task<void> patch(kube::Resource place, std::string version, json::Object patch);
  Task<void> write_finalizers(const IngressController& controller, std::vector<std::string> finalizers);

  // Where the server knows ClusterOperators.
  void add_summary();
  Task<SummaryObserved> observe_summary();
  Task<void> act_on_summary(SummaryAction action);

  ClusterConfig config() const;
  Observed::Object operand(const kube::ObjectCache& cache, std::string name) const;
  CloudReports cloud_reports(const Observed::Object& service) const;
  std::vector<std::string> rivals(const IngressController& controller, const ClusterConfig& config) const;
  void watch_configuration(kube::ObjectCache& cache);
  void tell(const IngressController& about, const std::vector<EventText>& events);
  void tell_standing(const Observed& seen);

  static constexpr const char* kSummaryIndex = "summary";

  kube::Runtime& runtime_;
  metrics::Registry& registry_;
  OperatorSettings settings_;
  std::shared_ptr<const Settings> decisions_;
  std::map<std::string, std::string> refusals_;                 // of Services, by the controller's name
  std::map<kube::ObjectKey, std::vector<EventText>> standing_;  // that were told

  kube::Cache<IngressController>& controllers_;
  kube::ObjectCache& namespaces_;
  kube::ObjectCache& config_maps_;
  kube::ObjectCache& deployments_;
  kube::ObjectCache& services_;
  kube::ObjectCache& pods_;
  kube::ObjectCache& events_;
  // Where the server knows the kinds.
  kube::ObjectCache* records_ = nullptr;
  kube::ObjectCache* infrastructures_ = nullptr;
  kube::ObjectCache* ingresses_ = nullptr;
  kube::ObjectCache* dnses_ = nullptr;
  kube::ObjectCache* summaries_ = nullptr;
  std::optional<WallTime> summary_written_at_ = {};
  kube::Controller* controller_ = nullptr;
  OperatorMetrics metrics_;
};

}  // namespace fairway::ingress
