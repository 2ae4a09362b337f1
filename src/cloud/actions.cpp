// What the actions of decide.hpp say and ask for.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/decide.hpp"
#include "cloud/fields.hpp"

namespace fairway::cloud {
namespace {

using Kind = Operation::Kind;
using Step = WriteRecord::Step;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string name_of(const Observed::Object& service) {
  return kube::key_of(*service).to_string();
}

json::Array finalizers_of(const json::Object& service, bool with_cleanup) {
  json::Array kept;
  for (const json::Value& each : array_at(service, {"metadata", "finalizers"}))
    if (each != json::Value(kCleanupFinalizer)) kept.push_back(each);
  if (with_cleanup) kept.push_back(json::Value(kCleanupFinalizer));
  return kept;
}

json::Object guarded(const json::Object& service) {
  json::Object patch;
  json::ensure_object(patch, {"metadata"})["resourceVersion"] = kube::resource_version_of(service);
  return patch;
}

std::string describe_step(const WriteRecord& action) {
  const LoadBalancer& record = action.record;
  std::string what = fmt::format("{} load balancer {}", to_string(record.scope), record.address);
  switch (action.step) {
    case Step::BeginCreate:
      return fmt::format("begin to create the {}", what);
    case Step::Created:
      return fmt::format("the {} is there", what);
    case Step::BeginChange:
      return fmt::format("begin to change the {} to {} {}", what, to_string(record.operation->scope),
                         record.operation->address);
    case Step::Changed:
      return fmt::format("the {} has changed", what);
    case Step::ChangeDropped:
      return fmt::format("the {} stays as it was", what);
    case Step::Updated:
      return fmt::format("the {} is up to date", what);
    case Step::BeginDelete:
      return fmt::format("begin to delete the {}", what);
  }
  return what;
}

Request record_request(const WriteRecord& action) {
  json::Object patch = guarded(*action.service);
  json::Object& annotations = json::ensure_object(patch, {"metadata", "annotations"});
  annotations[kRecordAnnotation] = json::serialize(json::to_object(action.record));
  // What is only being made has no scope yet.
  const bool is_made = action.step != Step::BeginCreate;
  if (is_made) annotations[kScopeAnnotation] = to_string(action.record.scope);
  return {false, std::move(patch)};
}

Request status_request(const WriteStatus& action) {
  json::Object patch = guarded(*action.service);
  json::Array points;
  if (!action.published.empty())
    points.push_back(json::Object{{action.is_hostname ? "hostname" : "ip", action.published}});
  json::Value wanted = points.empty() ? json::Value(nullptr) : json::Value(std::move(points));
  json::ensure_object(patch, {"status", "loadBalancer"})["ingress"] = std::move(wanted);
  return {true, std::move(patch)};
}

Request removal_request(const RemoveFinalizer& action) {
  json::Object patch = guarded(*action.service);
  json::Object& annotations = json::ensure_object(patch, {"metadata", "annotations"});
  annotations[kRecordAnnotation] = nullptr;
  annotations[kScopeAnnotation] = nullptr;
  if (!action.keeps_finalizer)
    patch["metadata"].get_object()["finalizers"] = finalizers_of(*action.service, false);
  return {false, std::move(patch)};
}

const EventText kEnsuring{false, "EnsuringLoadBalancer", "Ensuring load balancer"};
const EventText kEnsured{false, "EnsuredLoadBalancer", "Ensured load balancer"};
const EventText kDeleting{false, "DeletingLoadBalancer", "Deleting load balancer"};
const EventText kDeleted{false, "DeletedLoadBalancer", "Deleted load balancer"};

EventText failed(Kind call, std::string_view why) {
  if (call == Kind::Delete)
    return {true, "DeleteLoadBalancerFailed", fmt::format("Error deleting load balancer: {}", why)};
  return {true, "SyncLoadBalancerFailed",
          fmt::format("Error syncing load balancer: failed to ensure load balancer: {}", why)};
}

std::vector<EventText> step_events(Step step) {
  switch (step) {
    case Step::BeginCreate:
    case Step::BeginChange:
      return {kEnsuring};
    case Step::Created:
    case Step::Changed:
    case Step::ChangeDropped:
      return {kEnsured};
    case Step::Updated:
      return {kEnsuring, kEnsured};
    case Step::BeginDelete:
      return {kDeleting};
  }
  return {};
}

}  // namespace

std::string describe(const Action& action) {
  return std::visit(
      Overloaded{[](const AddFinalizer& one) {
                   return fmt::format("add the cleanup finalizer of {}", name_of(one.service));
                 },
                 [](const WriteRecord& one) {
                   return fmt::format("{}: {}", name_of(one.service), describe_step(one));
                 },
                 [](const WriteStatus& one) {
                   return one.published.empty()
                              ? fmt::format("publish no address of {}", name_of(one.service))
                              : fmt::format("publish {} as {}", name_of(one.service), one.published);
                 },
                 [](const RemoveFinalizer& one) {
                   return fmt::format("{} of {}",
                                      one.keeps_finalizer ? "remove the record" : "remove the finalizer",
                                      name_of(one.service));
                 },
                 [](const Serve& one) {
                   return fmt::format("serve {} at {}, {}", one.key.to_string(), one.frontend.address,
                                      to_string(one.frontend.scope));
                 },
                 [](const StopServing& one) { return fmt::format("stop serving {}", one.key.to_string()); },
                 [](const Refuse& one) {
                   return fmt::format("{}: {}", name_of(one.service), failed(one.call, one.why).message);
                 }},
      action);
}

std::optional<Request> request_of(const Action& action) {
  if (const auto* one = std::get_if<AddFinalizer>(&action)) {
    json::Object patch = guarded(*one->service);
    patch["metadata"].get_object()["finalizers"] = finalizers_of(*one->service, true);
    return Request{false, std::move(patch)};
  }
  if (const auto* one = std::get_if<WriteRecord>(&action)) return record_request(*one);
  if (const auto* one = std::get_if<WriteStatus>(&action)) return status_request(*one);
  if (const auto* one = std::get_if<RemoveFinalizer>(&action)) return removal_request(*one);
  return std::nullopt;
}

std::vector<EventText> events_of(const Action& action) {
  if (const auto* one = std::get_if<WriteRecord>(&action)) return step_events(one->step);
  if (const auto* one = std::get_if<RemoveFinalizer>(&action))
    return one->had_load_balancer ? std::vector{kDeleted} : std::vector<EventText>{};
  if (const auto* one = std::get_if<Refuse>(&action))
    return {one->call == Kind::Delete ? kDeleting : kEnsuring, failed(one->call, one->why)};
  return {};
}

EventText failure_event(const Action& action, const Error& error) {
  const auto* record = std::get_if<WriteRecord>(&action);
  const bool is_deletion = std::holds_alternative<RemoveFinalizer>(action) ||
                           std::holds_alternative<StopServing>(action) ||
                           (record != nullptr && record->step == Step::BeginDelete);
  return failed(is_deletion ? Kind::Delete : Kind::Create, error.message);
}

void count_refusal(Faults& faults, Kind call) {
  std::uint32_t& left = call == Kind::Create   ? faults.fail_creates
                        : call == Kind::Change ? faults.fail_changes
                                               : faults.fail_deletes;
  if (left > 0) --left;
}

Observed::Object service_of(const Action& action) {
  return std::visit(
      [](const auto& one) -> Observed::Object {
        if constexpr (requires { one.service; }) return one.service;
        return nullptr;
      },
      action);
}

}  // namespace fairway::cloud
