// ServiceController: plays the cloud's service controller on a cluster that has none. Observe → decide
// (decide.hpp) → act.
//
// It watches the Services of all namespaces and writes on them all that it knows: finalizer, record, status.
// What is remembered besides follows from the Services (who holds which address) or does no harm when it is
// lost (when the cloud is asked again). Belongs to the runtime's event loop and outlives it; the runtime's
// name should be kComponent, by which readers of Events know the service controller.
//
//   ServiceController cloud(runtime, executor, settings, {}, registry);
//   … runtime.run() …
//   co_await cloud.stop();
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "cloud/decide.hpp"
#include "cloud/forwarder.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::cloud {

inline constexpr const char* kComponent = "service-controller";

class ServiceController {
 public:
  // Adds its caches and its controller to the runtime. Runtime and registry outlive it.
  ServiceController(kube::Runtime& runtime, boost::asio::any_io_executor executor, Settings settings,
                    Faults faults, metrics::Registry& registry);
  ~ServiceController();
  ServiceController(const ServiceController&) = delete;
  ServiceController& operator=(const ServiceController&) = delete;

  // Ends all traffic. After the runtime has ended.
  boost::asio::awaitable<void> stop();

  const Settings& settings() const { return *settings_; }
  const Faults& faults() const { return faults_; }
  // Every Service is looked at again.
  void set_faults(Faults faults);
  // All load balancers, in the order of their Services, for people and tests.
  json::Array describe_all() const;
  // As in /etc/hosts: the addresses behind the host names that are published.
  std::string hosts() const;

 private:
  Task<Observed> observe(kube::ObjectKey key);
  Task<void> act(Action action);
  Task<void> carry_out(const Action& action);
  Task<void> send(const Action& action, const Request& request);
  void refuse(const Refuse& refusal);

  void follow(const kube::Change<json::Object>& change);
  std::vector<kube::ObjectKey> due_keys(const json::Object& service);
  bool hold_addresses(const LoadBalancer& record);
  void hold_only(const std::set<std::string>& addresses, std::string_view uid);
  void tell(const Action& action, const EventText& event);
  std::vector<Backend> backends(const kube::ObjectKey& service, const Frontend& frontend,
                                const FrontendPort& port) const;
  json::Object describe_one(const json::Object& service, const LoadBalancer& record) const;

  kube::Runtime& runtime_;
  std::shared_ptr<const Settings> settings_;
  Faults faults_;
  kube::ObjectCache& services_;
  kube::ObjectCache& pods_;
  Forwarder forwarder_;
  AddressBook external_;
  AddressBook internal_;
  std::set<std::string, std::less<>> with_record_;  // UIDs
  std::map<kube::ObjectKey, Attempts> attempts_;
  std::map<kube::ObjectKey, std::unique_ptr<Timer>> late_;  // changes that are noticed later
  kube::ObjectCache::Subscription following_;
  kube::Controller* controller_ = nullptr;
};

}  // namespace fairway::cloud
