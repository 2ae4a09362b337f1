// ClusterAgent: both halves of the agent, wired to a hub and to its cluster. Observe → decide → act.
//
// From the hub it reads the child policies of its own namespace and, where they have encrypted values, the
// one Secret with their key; it writes their statuses, nothing else. In the cluster it keeps
// ConfigurationPolicies in one namespace and does what they say. Each half goes on without the other: a
// cluster keeps being evaluated while the hub is away, and says so when it is back. Nothing is remembered
// that a restart would need. Belongs to one event loop; both runtimes outlive it.
//
//   ClusterAgent agent(cluster, hub, executor, {.cluster = "member1"}, registry);
//   … cluster.run(), hub.run() …
//   co_await agent.stop();
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/agent/decide.hpp"
#include "fleet/agent/framework.hpp"
#include "fleet/agent/object_watches.hpp"
#include "fleet/agent/targets.hpp"
#include "fleet/protection.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::fleet::agent {

struct AgentSettings {
  std::string cluster;          // its name, and its namespace on the hub
  std::string namespace_ = {};  // of ConfigurationPolicies in the cluster; the cluster's name when empty
  std::size_t workers = 4;
};

kube::ResourceType policy_type();
kube::ResourceType configuration_policy_type();

class ClusterAgent {
 public:
  // Adds its caches to both runtimes and its controllers to the cluster's, before they run.
  ClusterAgent(kube::Runtime& cluster, kube::Runtime& hub, boost::asio::any_io_executor executor,
               AgentSettings settings, metrics::Registry& registry);
  ~ClusterAgent();
  ClusterAgent(const ClusterAgent&) = delete;
  ClusterAgent& operator=(const ClusterAgent&) = delete;

  // After the runtimes have stopped.
  boost::asio::awaitable<void> stop();
  std::size_t watched_kinds() const { return watches_.size(); }

 private:
  // One ConfigurationPolicy.
  Task<kube::ReconcileResult> evaluate(kube::ObjectKey key);
  Task<Observed> observe(kube::ObjectKey key, ObjectPointer policy);
  // What a look at one policy has learned on its way.
  struct Learned {
    kube::ObjectKey key;
    KnownKinds kinds = {};
    templates::Answers answers = {};
    std::set<Interest> interests = {};
    templates::Cipher decrypt = {};
    bool lacks_key = false;
    WallTime now = {};  // for templates
  };
  Task<Preparation> prepare_policy(Configuration configuration, Learned& learned);
  // Of encrypted values, where the policy has any.
  Task<void> learn_decryption(Configuration configuration, std::optional<std::string> vector,
                              Learned& learned);
  Task<void> read_keys();
  Task<void> answer(templates::Lookup lookup, Learned& learned);
  Task<void> complete_objects(PreparedTemplate& prepared, Learned& learned);
  Task<void> learn_kind(kube::GroupVersionKind kind, KnownKinds& known);
  Task<void> fill_targets(PreparedTemplate& prepared);
  Task<void> fill_related(Observed& seen);
  Task<void> act(kube::ObjectKey policy, Action action, Outcomes& outcomes);
  Task<void> try_update(kube::ObjectKey policy, const TryUpdate& action, Outcome& outcome);
  Task<void> create(const CreateObject& action, Outcome& outcome);
  Task<void> update(const UpdateObject& action, Outcome& outcome);
  Task<void> remove(const DeleteObject& action, Outcome& outcome);
  Task<void> set_finalizer(const SetFinalizer& action);
  Task<void> write_status(const WriteStatus& action);
  Task<void> look_again(Subject subject, Outcome& outcome);
  Task<kube::Resource> place_of(Subject subject);
  std::vector<NamespaceFacts> namespace_facts() const;

  // One child policy.
  Task<ChildObserved> observe_child(kube::ObjectKey key);
  Task<void> act_on_child(FrameworkAction action);
  Task<std::string> compliance_of(kube::ObjectKey child, Dependency dependency);
  Task<json::Object> create_policy(json::Object object);
  Error policy_error(const json::Object& object, Error error);
  std::vector<kube::ObjectKey> dependents(std::string_view kind, std::string_view name) const;
  void add_controllers(kube::Runtime& cluster);

  kube::Client& client_;
  kube::Client& hub_client_;
  AgentSettings settings_;
  kube::ObjectCache& children_;    // on the hub
  kube::ObjectCache& policies_;    // in the cluster
  kube::ObjectCache& namespaces_;  // likewise
  kube::Controller* evaluator_ = nullptr;
  kube::Controller* framework_ = nullptr;
  ObjectWatches watches_;       // for evaluation
  ObjectWatches dependencies_;  // of kinds that are neither Policy nor ConfigurationPolicy
  std::map<kube::ObjectKey, std::vector<std::string>> selected_;  // namespaces, at the last look
  // Answers to dry-runs, by the policy: the same question about the same object is not asked at every look.
  struct Trial {
    json::Object asked;
    Result<ObjectPointer> answer;
    SteadyTime at;
  };
  std::map<kube::ObjectKey, std::map<Subject, Trial>> trials_;
  // Read when first needed, and again when something cannot be read with them: the hub may be away.
  std::optional<EncryptionKeys> keys_;
  // Of ConfigurationPolicies, by the child and the template's name; for the child's status to tell.
  std::map<kube::ObjectKey, std::map<std::string, Refusal>> refusals_;
  metrics::Family<metrics::Counter>& evaluations_;
  metrics::Family<metrics::Counter>& writes_;
  metrics::Family<metrics::Gauge>& kinds_;
};

}  // namespace fairway::fleet::agent
