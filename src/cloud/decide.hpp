// The cloud's decision about one Service: from what was seen to what is done next. Pure, total,
// deterministic.
//
// It follows Kubernetes' service controller: the cleanup finalizer stands before anything is provisioned and
// goes after it is deprovisioned; a Service that no longer wants a load balancer loses it; one of another
// class is left alone. Work takes the time that the profile says; a refusal of the cloud is told in an Event
// and tried again with growing pauses. At most one request to the API server is in a plan, so that each is
// guarded by the version that was seen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "cloud/faults.hpp"
#include "cloud/frontend.hpp"
#include "cloud/load_balancer.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"
#include "kube/core/plan.hpp"

namespace fairway::cloud {

// What became of earlier attempts. A change of the Service is tried at once, as a work queue does.
struct Attempts {
  int failures = 0;
  WallTime not_before = {};
  std::string resource_version = {};  // of the Service when it failed
  bool operator==(const Attempts&) const = default;
};
// After so many failures: 5 s, 10 s, … up to 300 s.
Duration retry_pause(int failures);

struct Observed {
  using Object = std::shared_ptr<const json::Object>;  // null: there is none

  kube::ObjectKey key = {};
  Object service = {};
  std::shared_ptr<const Settings> settings = {};
  WallTime now = {};
  Faults faults = {};
  std::optional<Attempts> attempts = {};
  std::optional<Frontend> serving = {};           // that clients are served by now
  std::optional<std::string> free_external = {};  // an address that it could have
  std::optional<std::string> free_internal = {};
  std::size_t load_balancers = 0;  // that the cloud has, of all Services
};

struct AddFinalizer {
  Observed::Object service;
};
// Writes a step of the load balancer's life on the Service.
struct WriteRecord {
  enum class Step { BeginCreate, Created, BeginChange, Changed, ChangeDropped, Updated, BeginDelete };
  Observed::Object service;
  LoadBalancer record;
  Step step = Step::BeginCreate;
};
// The name or address for clients; empty: none.
struct WriteStatus {
  Observed::Object service;
  std::string published;
  bool is_hostname = false;
};
// Takes the record away as well.
struct RemoveFinalizer {
  Observed::Object service;
  bool keeps_finalizer = false;  // it may be another implementation's
  bool had_load_balancer = false;
};
struct Serve {
  kube::ObjectKey key;
  Frontend frontend;
};
struct StopServing {
  kube::ObjectKey key;
};
// The cloud does not do what it was asked for.
struct Refuse {
  Observed::Object service;
  Operation::Kind call = Operation::Kind::Create;
  std::string why;
};

using Action =
    std::variant<AddFinalizer, WriteRecord, WriteStatus, RemoveFinalizer, Serve, StopServing, Refuse>;
std::string describe(const Action& action);

kube::Plan<Action> decide(const Observed& seen);

// The request that carries an action out: a merge patch, guarded by the version that was seen. None for what
// is done without one.
struct Request {
  bool is_of_status = false;
  json::Object patch;
};
std::optional<Request> request_of(const Action& action);

// What the service controller says of an action that was carried out.
struct EventText {
  bool is_warning = false;
  std::string_view reason;
  std::string message;
  bool operator==(const EventText&) const = default;
};
std::vector<EventText> events_of(const Action& action);
// Of one that failed for another reason than the cloud's.
EventText failure_event(const Action& action, const Error& error);
// One of the failures that were asked for has happened.
void count_refusal(Faults& faults, Operation::Kind call);
// The Service that an action is about; null for what is about none.
Observed::Object service_of(const Action& action);

}  // namespace fairway::cloud
