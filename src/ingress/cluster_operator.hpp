// ClusterOperator "ingress": where the cluster's ingress stands as a whole, in one object that upgrades and
// consoles look at. Pure.
//
// It mirrors the default controller, and names those that are progressing or not upgradeable: only they are
// looked at, however many there are.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingress/types.hpp"
#include "json/value.hpp"
#include "kube/core/plan.hpp"

namespace fairway::ingress {

inline constexpr std::string_view kClusterOperatorName = "ingress";
const kube::ResourceType& cluster_operator_type();

struct SummaryObserved {
  using Controllers = std::vector<std::shared_ptr<const IngressController>>;

  std::shared_ptr<const json::Object> object = {};  // null: there is none
  std::shared_ptr<const IngressController> default_controller = {};
  Controllers progressing = {};             // by name
  Controllers not_upgradeable = {};         // by name
  std::string version = {};                 // of this operator; empty: not told
  std::optional<WallTime> written_at = {};  // by this process
  WallTime now = {};
};

// Not more often: while a thousand controllers come up, each of them changes what is said of all.
inline constexpr Duration kSummaryPause = std::chrono::seconds(1);

struct CreateClusterOperator {
  json::Object object;
};
struct WriteClusterOperator {
  std::string resource_version;
  json::Object status;
};
using SummaryAction = std::variant<CreateClusterOperator, WriteClusterOperator>;
std::string describe(const SummaryAction& action);

kube::Plan<SummaryAction> decide_summary(const SummaryObserved& seen);

// The words by which controllers are found for it: those of "progressing" and "not upgradeable".
inline constexpr std::string_view kProgressingIndex = "progressing";
inline constexpr std::string_view kNotUpgradeableIndex = "not upgradeable";
std::vector<std::string> summary_index(const IngressController& controller);

}  // namespace fairway::ingress
