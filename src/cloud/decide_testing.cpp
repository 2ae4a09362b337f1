#include "cloud/decide_testing.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "json/patch.hpp"

namespace fairway::cloud::testing {
namespace {

Network range_of(const Settings& settings, Scope scope) {
  return settings.range(scope);
}

std::shared_ptr<Settings> settings_for(std::string_view platform, int prefix) {
  auto made = std::make_shared<Settings>();
  made->profile = *find_profile(platform);
  made->external = *parse_network(fmt::format("127.203.0.0/{}", prefix));
  made->internal = *parse_network(fmt::format("127.77.0.0/{}", prefix));
  return made;
}

}  // namespace

SimulatedCluster::SimulatedCluster(std::string_view platform, int prefix)
    : settings(settings_for(platform, prefix)),
      external(range_of(*settings, Scope::External)),
      internal(range_of(*settings, Scope::Internal)) {}

void SimulatedCluster::store(const kube::ObjectKey& key, json::Object service) {
  json::ensure_object(service, {"metadata"})["resourceVersion"] = fmt::to_string(++version_);
  std::set<std::string> held;
  if (const auto record = load_balancer_of(service)) held = addresses_of(*record);
  const std::string uid(kube::uid_of(service));
  for (AddressBook* book : {&external, &internal}) book->hold_only(held, uid);
  services.insert_or_assign(key, std::move(service));
}

void SimulatedCluster::create(const kube::ObjectKey& key, Scope scope) {
  if (services.contains(key)) return;
  json::Object service = *json::parse_object(fmt::format(
      R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}","namespace":"{}","uid":"u{}"}},"spec":
      {{"type":"LoadBalancer","selector":{{"app":"router"}},"ports":[{{"name":"http","port":80,"targetPort":"http"}}]}},
      "status":{{"loadBalancer":{{}}}}}})",
      key.name, key.namespace_, ++version_));
  store(key, std::move(service));
  set_scope(scope, key);
}

void SimulatedCluster::edit(const std::function<void(json::Object&)>& change, const kube::ObjectKey& key) {
  const auto found = services.find(key);
  if (found == services.end()) return;
  json::Object edited = found->second;
  change(edited);
  if (edited != found->second) store(key, std::move(edited));
}

void SimulatedCluster::set_scope(Scope scope, const kube::ObjectKey& key) {
  const auto& by = settings->profile.scope;
  if (!by) return;
  edit(
      [&](json::Object& service) {
        const std::string_view value = scope == Scope::Internal ? by->internal : by->external;
        if (value.empty()) {
          kube::remove_annotation(service, by->key);
        } else {
          kube::set_annotation(service, by->key, value);
        }
      },
      key);
}

void SimulatedCluster::remove(const kube::ObjectKey& key) {
  const auto found = services.find(key);
  if (found == services.end() || kube::is_being_deleted(found->second)) return;
  json::Object going = found->second;
  going["metadata"].get_object()["deletionTimestamp"] = format_rfc3339(now);
  const json::Array* finalizers = json::get_array(going, {"metadata", "finalizers"});
  const bool is_held = finalizers != nullptr && !finalizers->empty();
  if (is_held) return store(key, std::move(going));
  for (AddressBook* book : {&external, &internal}) book->hold_only({}, kube::uid_of(going));
  services.erase(found);
}

Observed SimulatedCluster::observe(const kube::ObjectKey& key) const {
  Observed seen{.key = key, .settings = settings, .now = now, .faults = faults};
  if (const auto found = services.find(key); found != services.end()) {
    seen.service = std::make_shared<const json::Object>(found->second);
    seen.free_external = external.propose(kube::uid_of(found->second));
    seen.free_internal = internal.propose(kube::uid_of(found->second));
  }
  if (const auto found = attempts.find(key); found != attempts.end()) seen.attempts = found->second;
  if (const auto found = serving.find(key); found != serving.end()) seen.serving = found->second;
  for (const auto& [each, service] : services)
    if (load_balancer_of(service)) ++seen.load_balancers;
  return seen;
}

// What is checked on the deed itself; the rest is the laws' invariant.
void SimulatedCluster::check(const Action& action) {
  const Observed::Object service = service_of(action);
  if (service && has_class(*service) && !load_balancer_of(*service))
    violations.push_back("touched another implementation's: " + describe(action));
  const auto* write = std::get_if<WriteRecord>(&action);
  if (write != nullptr && !kube::has_finalizer(*service, kCleanupFinalizer) &&
      write->step == WriteRecord::Step::BeginCreate)
    violations.push_back("provisioned without the finalizer: " + describe(action));
}

Result<void> SimulatedCluster::write(const Action& action, const Request& request) {
  const kube::ObjectKey key = kube::key_of(*service_of(action));
  const auto found = services.find(key);
  if (found == services.end()) return fail(ErrorCode::NotFound, "it is gone");
  if (json::get_string(request.patch, {"metadata", "resourceVersion"}) !=
      kube::resource_version_of(found->second))
    return fail(ErrorCode::Conflict, "it has changed");
  if (const auto* begun = std::get_if<WriteRecord>(&action)) {
    for (const std::string& address : addresses_of(begun->record)) {
      AddressBook& book = external.network().contains(address) ? external : internal;
      if (!book.hold(address, begun->record.uid)) return fail(ErrorCode::Conflict, "the address was taken");
    }
    // One that was deprovisioned and made anew, after a change of type, may have another scope.
    if (begun->step == WriteRecord::Step::BeginCreate)
      made.insert_or_assign(begun->record.uid, begun->record.scope);
  }
  if (std::holds_alternative<WriteStatus>(action) && faults.lose_status_writes > 0) {
    --faults.lose_status_writes;
    return fail(ErrorCode::Unavailable, "the write was lost");
  }
  check(action);
  json::Value changed = found->second;
  json::apply_merge_patch(changed, request.patch);
  json::Object& object = changed.get_object();
  const json::Array* finalizers = json::get_array(object, {"metadata", "finalizers"});
  if (kube::is_being_deleted(object) && (finalizers == nullptr || finalizers->empty())) {
    for (AddressBook* book : {&external, &internal}) book->hold_only({}, kube::uid_of(object));
    services.erase(found);
  } else {
    store(key, std::move(object));
  }
  attempts.erase(key);
  return {};
}

Result<void> SimulatedCluster::act(const Action& action) {
  if (const auto* serve = std::get_if<Serve>(&action)) {
    for (const auto& [key, other] : serving)
      if (key != serve->key && other.address == serve->frontend.address)
        return fail(ErrorCode::Unavailable, "the address is in use");
    serving.insert_or_assign(serve->key, serve->frontend);
  } else if (const auto* stop = std::get_if<StopServing>(&action)) {
    serving.erase(stop->key);
  } else if (const auto* refuse = std::get_if<Refuse>(&action)) {
    const kube::ObjectKey key = kube::key_of(*refuse->service);
    Attempts& failed = attempts[key];
    ++failed.failures;
    failed.not_before = now + retry_pause(failed.failures);
    failed.resource_version = kube::resource_version_of(*refuse->service);
    count_refusal(faults, refuse->call);
  } else if (const auto request = request_of(action)) {
    FAIRWAY_CHECKED(write(action, *request));
  }
  for (const EventText& event : events_of(action)) events.emplace_back(event.reason);
  return {};
}

std::string SimulatedCluster::settle(const kube::ObjectKey& key) {
  std::string story;
  for (int round = 0; round < 50; ++round) {
    const kube::Plan<Action> plan = decide(observe(key));
    if (plan.actions.empty()) return story;
    for (const Action& action : plan.actions) {
      story += describe(action) + "\n";
      if (const auto acted = act(action); !acted) {
        story += "failed: " + acted.error().message + "\n";
        break;
      }
    }
  }
  return story + "and so on\n";
}

std::string SimulatedCluster::settle_in_time(const kube::ObjectKey& key) {
  std::string story;
  for (int round = 0; round < 50; ++round) {
    story += settle(key);
    const kube::Plan<Action> plan = decide(observe(key));
    if (!plan.wake_at || !plan.actions.empty()) return story;
    story += fmt::format("after {}: {}\n", format_duration(*plan.wake_at - now), plan.wake_reason);
    now = *plan.wake_at;
  }
  return story + "and so on\n";
}

const json::Object* SimulatedCluster::service(const kube::ObjectKey& key) const {
  const auto found = services.find(key);
  return found == services.end() ? nullptr : &found->second;
}

std::optional<LoadBalancer> SimulatedCluster::record(const kube::ObjectKey& key) const {
  const json::Object* found = service(key);
  return found == nullptr ? std::nullopt : load_balancer_of(*found);
}

std::string SimulatedCluster::published(const kube::ObjectKey& key) const {
  const json::Object* found = service(key);
  return found == nullptr ? "" : join(published_of(*found), ",");
}

std::string SimulatedCluster::annotated(std::string_view annotation, const kube::ObjectKey& key) const {
  const json::Object* found = service(key);
  return found == nullptr ? "" : std::string(kube::annotation(*found, annotation).value_or(""));
}

}  // namespace fairway::cloud::testing
