// The operator's second loop: the ClusterOperator that sums up all controllers.
#include "ingress/operator.hpp"
#include "kube/client/api.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::ingress {
namespace {

const kube::ObjectKey kSummaryKey{"", std::string(kClusterOperatorName)};

std::vector<kube::ObjectKey> always_the_summary(const auto&) {
  return {kSummaryKey};
}

}  // namespace

void IngressOperator::add_summary() {
  summaries_ = &runtime_.cache(cluster_operator_type(), {.field_selector = "metadata.name=ingress"});
  controllers_.add_index(kSummaryIndex, summary_index);
  kube::ControlLoop<SummaryObserved, SummaryAction> loop{
      .observe = [this](kube::ObjectKey) { return observe_summary(); },
      .decide = decide_summary,
      .act = [this](SummaryAction action) { return act_on_summary(std::move(action)); },
      .execution = {.max_retries = 0}};
  kube::Controller& summary = kube::add_control_loop<SummaryObserved, SummaryAction>(
      runtime_, {.name = "ingress-summary", .workers = 1, .metrics = &registry_}, std::move(loop));
  summary.watch<IngressController>(controllers_, always_the_summary<IngressController>);
  summary.watch<json::Object>(*summaries_, always_the_summary<json::Object>);
  summary.enqueue(kSummaryKey);
}

Task<SummaryObserved> IngressOperator::observe_summary() {
  co_return SummaryObserved{
      .object = summaries_->get(kSummaryKey),
      .default_controller = controllers_.get({std::string(kOperatorNamespace), std::string(kDefaultName)}),
      .progressing = controllers_.by_index(kSummaryIndex, kProgressingIndex),
      .not_upgradeable = controllers_.by_index(kSummaryIndex, kNotUpgradeableIndex),
      .version = settings_.version,
      .written_at = summary_written_at_,
      .now = runtime_.client().clock().now()};
}

Task<void> IngressOperator::act_on_summary(SummaryAction action) {
  if (auto* created = std::get_if<CreateClusterOperator>(&action))
    co_return co_await create(std::move(created->object));
  auto& written = std::get<WriteClusterOperator>(action);
  json::Object change;
  change["status"] = std::move(written.status);
  summary_written_at_ = runtime_.client().clock().now();
  co_return co_await patch(cluster_operator_type().in("", std::string(kClusterOperatorName), "status"),
                           written.resource_version, std::move(change));
}

}  // namespace fairway::ingress
