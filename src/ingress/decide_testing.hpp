// A cluster with ingress controllers and a cloud, as values, for tests of the decision: an API that checks
// versions and UIDs, garbage collection, and load balancers that are provisioned when the test says so.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingress/decide.hpp"
#include "ingress/events.hpp"

namespace fairway::ingress::testing {

inline const std::string kName = "custom";

struct SimulatedCluster {
  explicit SimulatedCluster(std::string_view platform = "AWS");

  // What users do.
  void create(const std::string& name = kName, std::optional<PublishingStrategy> strategy = {});
  void change(const std::function<void(IngressController&)>& edit, const std::string& name = kName);
  void set_scope(std::string_view scope, const std::string& name = kName);
  void annotate(std::string_view value = "", const std::string& name = kName);
  void withdraw(const std::string& name = kName);  // the annotation
  void remove(const std::string& name = kName);
  void delete_service(const std::string& name = kName);
  void edit_service(const std::function<void(json::Object&)>& edit, const std::string& name = kName);
  void put(json::Object object);  // as it is, with a new UID and version

  // What the cloud does: finalizers and addresses of live Services, and an end to deleted ones.
  void run_cloud();

  Observed observe(const std::string& name = kName) const;
  // Conflict, AlreadyExists and NotFound as an API server gives them.
  Result<void> act(const Action& action);
  // Looks, acts and lets the cloud act, until nothing is left to do; the actions, a line each.
  std::string settle(const std::string& name = kName);
  // The same, and the cloud sleeps.
  std::string settle_alone(const std::string& name = kName);
  void pass(Duration time) { now += time; }

  const IngressController& controller(const std::string& name = kName) const { return *controllers.at(name); }
  const json::Object* service(const std::string& name = kName) const;
  std::string annotation(std::string_view key, const std::string& name = kName) const;  // "absent" without it
  // "True ScopeChanged", "False", "absent"
  std::string condition(std::string_view type, const std::string& name = kName) const;
  std::string message(std::string_view type, const std::string& name = kName) const;
  bool has_event(std::string_view reason) const;

  ClusterConfig config;
  std::shared_ptr<Settings> settings = std::make_shared<Settings>();
  WallTime now{std::chrono::hours(480000)};
  std::map<std::string, std::shared_ptr<const IngressController>> controllers;
  std::map<std::string, json::Object> objects;  // by "Kind namespace/name"
  CloudReports cloud;
  std::string service_refusal;
  bool is_deletion_stuck = false;
  bool is_provisioning = true;
  bool is_changing = true;  // in place, where the platform can
  std::size_t router_pods = 0;

  // What happened.
  std::vector<EventText> events;
  std::vector<DeleteService> deletions;
  std::vector<std::string> violations;  // deletions without consent, and writes to what is not ours
  int writes = 0;
  int creations = 0;  // of published Services

 private:
  friend struct Act;
  std::string next_version() { return std::to_string(++version_); }
  void store(std::string key, json::Object object);
  void begin_deletion(const std::string& key);
  void collect_garbage();
  void provision(json::Object& service);

  int version_ = 100;
  std::map<std::string, Scope> provisioned_;  // by the Service's UID
  int addresses_ = 0;
};

std::string key_text(std::string_view kind, std::string_view ns, std::string_view name);
std::string service_key(const std::string& controller);
PublishingStrategy load_balancer(std::string_view scope);
// A cluster whose controller kName has its load balancer.
SimulatedCluster published(std::string_view platform, std::string_view scope = "External");
// Of the published Service; "none" without one.
std::string uid_of(const SimulatedCluster& cluster);

}  // namespace fairway::ingress::testing
