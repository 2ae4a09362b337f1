// A cluster as a value, for tests of the agent's decisions: objects with versions and uids, an API that
// checks them, and a pass of the agent as the real one makes it (decide, act, decide with the outcomes).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/agent/decide.hpp"
#include "fleet/agent/targets.hpp"

namespace fairway::fleet::agent::testing {

struct SimulatedCluster {
  // Objects as YAML; those of a kind that is not in `kinds` are refused.
  void put(std::string_view yaml);
  // "ConfigMap a/b", "Namespace foo".
  const json::Object* find(std::string_view text) const;
  void change(std::string_view text, const std::function<void(json::Object&)>& edit);
  void erase(std::string_view text);

  // The spec of the one policy, "policies/p"; a change of it is another generation.
  void set_policy(std::string_view spec_yaml);
  void delete_policy();
  const json::Object& policy() const { return *policy_object; }
  std::string compliant() const;
  std::string message(std::size_t of = 0) const;
  std::string reason(std::size_t of = 0) const;
  std::vector<std::string> history() const;  // newest first

  Observed observe() const;
  // The real server's answer; writes change the cluster, a dry-run does not. Gives the outcome.
  Result<void> act(const Action& action, Outcomes& outcomes);
  // One pass: the actions, a line each.
  std::string pass();
  // Passes until nothing is left to do.
  void settle();
  kube::Plan<Action> plan() const { return decide(observe()); }

  KnownKinds kinds = {};
  std::map<Subject, json::Object> objects = {};
  std::shared_ptr<json::Object> policy_object = {};
  std::set<std::string> immutable = {};  // "spec.a": a change is refused as invalid
  // Fields that the server sets on every write, as admission does.
  std::function<void(json::Object&)> admit = {};
  std::string refuses = {};        // the words that create, update or delete begin their description with
  templates::Cipher decrypt = {};  // of encrypted values; none when empty
  bool keeps_deleted = false;      // finalizers hold everything
  std::optional<std::vector<std::string>> namespaces_before = {};
  WallTime now{std::chrono::seconds(1'700'000'000)};
  std::int64_t version = 1;

  SimulatedCluster();

 private:
  Result<void> create(const CreateObject& action, Outcome& outcome);
  Result<void> update(const Subject& subject, const json::Object& object, bool is_trial, Outcome& outcome);
  Result<void> remove(const DeleteObject& action, Outcome& outcome);
  Result<json::Object> accepted(const json::Object& before, json::Object after) const;
  Subject parse(std::string_view text) const;
  json::Value look_up(const templates::Lookup& lookup) const;
  void fill(const PreparedTemplate& prepared, Target& target) const;
};

}  // namespace fairway::fleet::agent::testing
