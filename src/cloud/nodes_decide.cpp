#include "cloud/nodes_decide.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/nodes_parts.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::cloud::nodes {
namespace {

enum class Round { Up, Down };

// A number of pods, or a share of the wanted ones.
std::int64_t share(const json::Object& deployment, std::string_view field, std::int64_t of, Round round) {
  constexpr std::int64_t kDefaultPercent = 25;
  const json::Path path = {"spec", "strategy", "rollingUpdate", field};
  if (const auto number = json::get_int(deployment, path)) return std::max<std::int64_t>(*number, 0);
  std::string_view text = json::get_string(deployment, path).value_or("");
  if (text.ends_with('%')) text.remove_suffix(1);
  const auto percent =
      static_cast<std::int64_t>(parse_unsigned(text).value_or(static_cast<std::uint64_t>(kDefaultPercent)));
  return (of * percent + (round == Round::Up ? 99 : 0)) / 100;
}

// The decision about a Deployment that is there and stays.
class Decision {
 public:
  explicit Decision(const Observed& seen)
      : seen_(seen), deployment_(*seen.deployment), hash_(template_hash(deployment_)) {
    counts_.wanted = std::max<std::int64_t>(json::get_int(deployment_, {"spec", "replicas"}).value_or(1), 0);
    surge_ = share(deployment_, "maxSurge", counts_.wanted, Round::Up);
    counts_.max_unavailable = share(deployment_, "maxUnavailable", counts_.wanted, Round::Down);
    // Something has to give.
    if (surge_ == 0 && counts_.max_unavailable == 0) counts_.max_unavailable = 1;
  }

  kube::Plan<Action> make() {
    for (const Observed::Pod& pod : seen_.pods) {
      if (is_foreign(*pod.object) || kube::is_being_deleted(*pod.object)) {
        remove(pod);
      } else {
        (is_current(*pod.object) ? current_ : old_).push_back(&pod);
        count(pod);
      }
    }
    run_pods();
    make_pods();
    drop_pods();
    if (json::Object patch = status_patch(deployment_, counts_, seen_.now); !patch.empty())
      plan_.actions.push_back(WriteDeploymentStatus{seen_.deployment, std::move(patch)});
    return std::move(plan_);
  }

 private:
  bool is_foreign(const json::Object& pod) const {
    return !kube::is_owned_by(pod, kube::uid_of(deployment_));
  }
  bool is_current(const json::Object& pod) const { return kube::label(pod, kTemplateHashLabel) == hash_; }

  void count(const Observed::Pod& pod) {
    ++counts_.all;
    if (is_current(*pod.object)) ++counts_.updated;
    const kube::Conditions conditions = kube::conditions_of(*pod.object);
    const kube::Condition* ready = kube::find_condition(conditions, "Ready");
    if (ready == nullptr || ready->status != kube::kConditionTrue) return;
    ++counts_.ready;
    const WallTime due = ready->last_transition_time.value_or(seen_.now) + min_ready();
    if (seen_.now < due) {
      plan_.wake(due, "a pod has been ready for long enough");
      return;
    }
    ++counts_.available;
    available_.insert(std::string(kube::name_of(*pod.object)));
  }

  Duration min_ready() const {
    if (seen_.settings->min_ready) return *seen_.settings->min_ready;
    return std::chrono::seconds(json::get_int(deployment_, {"spec", "minReadySeconds"}).value_or(0));
  }

  // A pod that runs and says so is left alone.
  void run_pods() {
    for (const auto* group : {&current_, &old_}) {
      for (const Observed::Pod* pod : *group) {
        if (pod->address.empty()) {
          plan_.notes.push_back(
              fmt::format("no address is free for the pod {}", kube::name_of(*pod->object)));
          continue;
        }
        if (!pod->is_running)
          plan_.actions.push_back(RunPod{kube::key_of(*pod->object), std::string(kube::uid_of(*pod->object)),
                                         pod->address, ports_of(*pod->object, *seen_.settings)});
        const bool is_told = json::get_string(*pod->object, {"status", "podIP"}) == pod->address &&
                             kube::is_condition_true(kube::conditions_of(*pod->object), "Ready");
        if (!is_told)
          plan_.actions.push_back(
              WritePodStatus{pod->object, ready_status(*pod->object, pod->address, seen_.now)});
      }
    }
  }

  void make_pods() {
    std::set<std::string> names;
    for (const Observed::Pod& pod : seen_.pods) names.emplace(kube::name_of(*pod.object));
    std::int64_t missing = counts_.wanted - static_cast<std::int64_t>(current_.size());
    std::int64_t room = counts_.wanted + surge_ - counts_.all;
    for (int number = 0; missing > 0 && room > 0; ++number) {
      const std::string name = fmt::format("{}-{}-{}", kube::name_of(deployment_), hash_, number);
      if (names.contains(name)) continue;
      plan_.actions.push_back(CreatePod{new_pod(deployment_, name, *seen_.settings)});
      --missing;
      --room;
    }
  }

  // Old ones as far as enough others are available; what is not available costs nothing.
  void drop_pods() {
    std::int64_t spare = counts_.available - (counts_.wanted - counts_.max_unavailable);
    const auto drop = [&](const Observed::Pod& pod) {
      const bool is_available = available_.contains(std::string(kube::name_of(*pod.object)));
      if (is_available && spare <= 0) return;
      if (is_available) --spare;
      remove(pod);
    };
    for (const Observed::Pod* pod : old_) drop(*pod);
    for (auto i = static_cast<std::size_t>(counts_.wanted); i < current_.size(); ++i) remove(*current_[i]);
  }

  void remove(const Observed::Pod& pod) {
    const kube::ObjectKey key = kube::key_of(*pod.object);
    if (pod.is_running) plan_.actions.push_back(StopPod{key});
    plan_.actions.push_back(DeletePod{key, std::string(kube::uid_of(*pod.object))});
  }

  const Observed& seen_;
  const json::Object& deployment_;
  std::string hash_;
  PodCounts counts_;
  std::int64_t surge_ = 0;
  std::vector<const Observed::Pod*> current_;
  std::vector<const Observed::Pod*> old_;
  std::set<std::string> available_;
  kube::Plan<Action> plan_;
};

}  // namespace

kube::Plan<Action> decide(const Observed& seen) {
  kube::Plan<Action> plan;
  if (seen.deployment && !kube::is_being_deleted(*seen.deployment)) {
    plan = Decision(seen).make();
  } else {
    for (const Observed::Pod& pod : seen.pods) {
      if (pod.is_running) plan.actions.push_back(StopPod{kube::key_of(*pod.object)});
      plan.actions.push_back(DeletePod{kube::key_of(*pod.object), std::string(kube::uid_of(*pod.object))});
    }
  }
  for (const kube::ObjectKey& ghost : seen.ghosts) plan.actions.push_back(StopPod{ghost});
  return plan;
}

std::string describe(const Action& action) {
  struct Words {
    std::string operator()(const CreatePod& one) const {
      return fmt::format("create the pod {}", kube::name_of(one.pod));
    }
    std::string operator()(const DeletePod& one) const {
      return fmt::format("delete the pod {}", one.key.name);
    }
    std::string operator()(const RunPod& one) const {
      return fmt::format("run the pod {} at {}", one.key.name, one.address);
    }
    std::string operator()(const StopPod& one) const { return fmt::format("stop the pod {}", one.key.name); }
    std::string operator()(const WritePodStatus& one) const {
      return fmt::format("the pod {} is ready", kube::name_of(*one.pod));
    }
    std::string operator()(const WriteDeploymentStatus& one) const {
      return fmt::format("write the status of {}", kube::name_of(*one.deployment));
    }
  };
  return std::visit(Words{}, action);
}

}  // namespace fairway::cloud::nodes
