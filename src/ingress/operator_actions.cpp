// What the operator does: one request for each action, guarded by what was observed.
#include <algorithm>
#include <fmt/format.h>

#include "ingress/consent.hpp"
#include "ingress/operands.hpp"
#include "ingress/operator.hpp"
#include "kube/client/api.hpp"

namespace fairway::ingress {
namespace {

constexpr const char* kManager = "fairway-ingress";

// The world is not as it was seen: look again, rather than wait for what will not happen.
Error seen_otherwise(Error error) {
  if (error.code == ErrorCode::AlreadyExists || error.code == ErrorCode::NotFound)
    error.code = ErrorCode::Conflict;
  return error;
}

std::string controller_of_service(const kube::ObjectKey& key) {
  return key.name.substr(std::string_view("router-").size());
}

}  // namespace

Task<void> IngressOperator::act(Action action) {
  FAIRWAY_CO_CHECKED(co_await std::visit([this](const auto& one) { return carry_out(one); }, action));
  metrics_.acted(action);
  const std::vector<EventText> events = events_of(action);
  if (events.empty()) co_return Result<void>{};
  std::shared_ptr<const IngressController> about;
  if (const auto* written = std::get_if<WriteStatus>(&action)) about = written->controller;
  if (const auto* deleted = std::get_if<DeleteService>(&action)) about = deleted->controller;
  if (const auto* created = std::get_if<CreateService>(&action)) {
    const std::string name = controller_of_service(kube::key_of(created->service));
    about = controllers_.get({std::string(kOperatorNamespace), name});
  }
  if (about) tell(*about, events);
  co_return Result<void>{};
}

Task<void> IngressOperator::create(json::Object object) {
  const kube::ResourceType& type = operand_type(kube::kind_of(object));
  const std::string ns(kube::namespace_of(object));
  const auto made =
      co_await runtime_.client().create(type.in(ns), std::move(object), {.field_manager = kManager});
  if (!made) co_return std::unexpected(seen_otherwise(made.error()));
  co_return Result<void>{};
}

Task<void> IngressOperator::patch(kube::Resource place, std::string version, json::Object patch) {
  json::ensure_object(patch, {"metadata"})["resourceVersion"] = version;
  const auto patched = co_await runtime_.client().patch(std::move(place), kube::PatchKind::Merge,
                                                        std::move(patch), {.field_manager = kManager});
  if (!patched) co_return std::unexpected(seen_otherwise(patched.error()));
  co_return Result<void>{};
}

Task<void> IngressOperator::write_finalizers(const IngressController& controller,
                                             std::vector<std::string> finalizers) {
  json::Object metadata;
  metadata["finalizers"] = json::to_json(finalizers);
  json::Object change;
  change["metadata"] = std::move(metadata);
  co_return co_await patch(
      operand_type("IngressController").in(controller.metadata.namespace_, controller.metadata.name),
      controller.metadata.resource_version, std::move(change));
}

Task<void> IngressOperator::carry_out(const WriteStatus& action) {
  IngressController object = *action.controller;
  object.status = action.status;
  const auto written = co_await kube::Api<IngressController>(runtime_.client()).update_status(object);
  if (!written) co_return std::unexpected(seen_otherwise(written.error()));
  co_return Result<void>{};
}

Task<void> IngressOperator::carry_out(const AddFinalizer& action) {
  std::vector<std::string> finalizers = action.controller->metadata.finalizers;
  finalizers.emplace_back(kFinalizer);
  co_return co_await write_finalizers(*action.controller, std::move(finalizers));
}

Task<void> IngressOperator::carry_out(const RemoveFinalizer& action) {
  std::vector<std::string> finalizers = action.controller->metadata.finalizers;
  std::erase(finalizers, kFinalizer);
  co_return co_await write_finalizers(*action.controller, std::move(finalizers));
}

Task<void> IngressOperator::carry_out(const CreateService& action) {
  co_return co_await create(action.service);
}

Task<void> IngressOperator::carry_out(const UpdateService& action) {
  const std::string name = controller_of_service(action.key);
  const auto done =
      co_await patch(operand_type("Service").at(action.key), action.resource_version, action.patch);
  if (done) {
    refusals_.erase(name);
    co_return Result<void>{};
  }
  // What stays refused is told by the status at the next look.
  const bool is_refused = retry_of(done.error().code) == Retry::Never;
  const bool is_new = is_refused && refusals_.insert_or_assign(name, done.error().message).second;
  if (is_new) controller_->enqueue({std::string(kOperatorNamespace), name});
  co_return std::unexpected(done.error());
}

// Consent is read once more from the server: a cache may not have heard that it was withdrawn.
Task<void> IngressOperator::carry_out(const DeleteService& action) {
  const kube::ObjectMeta& judged = action.controller->metadata;
  const auto now =
      co_await kube::Api<IngressController>(runtime_.client(), judged.namespace_).get(judged.name);
  if (!now) co_return std::unexpected(seen_otherwise(now.error()));
  if (now->metadata.resource_version != judged.resource_version) {
    co_return fail(ErrorCode::Conflict,
                   fmt::format("the controller {} has changed since the Service was judged", judged.name));
  }
  if (action.consent == Consent::AutoDelete &&
      !auto_delete_permission(*now, runtime_.client().clock().now()).is_given())
    co_return fail(ErrorCode::Conflict, "the window for deleting the Service has closed");
  const auto removed = co_await runtime_.client().remove(operand_type("Service").at(action.key),
                                                         {.propagation = kube::Propagation::Foreground,
                                                          .uid = action.uid,
                                                          .resource_version = action.resource_version});
  if (!removed && removed.error().code != ErrorCode::NotFound) co_return std::unexpected(removed.error());
  co_return Result<void>{};
}

Task<void> IngressOperator::carry_out(const CreateOperand& action) {
  co_return co_await create(action.object);
}

Task<void> IngressOperator::carry_out(const UpdateOperand& action) {
  co_return co_await patch(operand_type(action.kind).at(action.key), action.resource_version, action.patch);
}

Task<void> IngressOperator::carry_out(const DeleteOperand& action) {
  const auto removed =
      co_await runtime_.client().remove(operand_type(action.kind).at(action.key), {.uid = action.uid});
  if (!removed && removed.error().code != ErrorCode::NotFound) co_return std::unexpected(removed.error());
  co_return Result<void>{};
}

}  // namespace fairway::ingress
