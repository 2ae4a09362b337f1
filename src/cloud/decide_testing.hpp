// SimulatedCluster: Services, time and the cloud's own state as values, for tests of the decision. Requests
// are guarded and Services go as they do on a real server; what the cloud must never do is recorded as a
// violation.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/decide.hpp"

namespace fairway::cloud::testing {

inline const kube::ObjectKey kKey{"openshift-ingress", "router-custom"};
inline const kube::ObjectKey kOther{"openshift-ingress", "router-other"};

class SimulatedCluster {
 public:
  // The ranges are small, so that interleavings meet the end of them.
  explicit SimulatedCluster(std::string_view platform, int prefix = 29);

  // What users and the operator do.
  void create(const kube::ObjectKey& key = kKey, Scope scope = Scope::External);
  void edit(const std::function<void(json::Object&)>& change, const kube::ObjectKey& key = kKey);
  void set_scope(Scope scope, const kube::ObjectKey& key = kKey);
  void remove(const kube::ObjectKey& key = kKey);
  void pass(Duration time) { now += time; }

  Observed observe(const kube::ObjectKey& key = kKey) const;
  Result<void> act(const Action& action);
  // Looks and acts until there is nothing to do now; what was done, a line each.
  std::string settle(const kube::ObjectKey& key = kKey);
  // The same, and lets the time pass that plans ask for.
  std::string settle_in_time(const kube::ObjectKey& key = kKey);

  const json::Object* service(const kube::ObjectKey& key = kKey) const;
  std::optional<LoadBalancer> record(const kube::ObjectKey& key = kKey) const;
  std::string published(const kube::ObjectKey& key = kKey) const;
  std::string annotated(std::string_view annotation, const kube::ObjectKey& key = kKey) const;

  std::shared_ptr<Settings> settings;
  Faults faults;
  WallTime now{std::chrono::seconds(1'700'000'000)};
  std::map<kube::ObjectKey, json::Object> services;
  std::map<kube::ObjectKey, Frontend> serving;
  std::map<kube::ObjectKey, Attempts> attempts;
  AddressBook external;
  AddressBook internal;
  std::vector<std::string> events;      // reasons, in order
  std::vector<std::string> violations;  // of what must never be
  std::map<std::string, Scope> made;    // by UID, the scope that its load balancer was made with

 private:
  void store(const kube::ObjectKey& key, json::Object service);
  Result<void> write(const Action& action, const Request& request);
  void check(const Action& action);

  int version_ = 0;
};

}  // namespace fairway::cloud::testing
