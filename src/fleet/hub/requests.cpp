#include "fleet/hub/requests.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "fleet/hub/kinds.hpp"
#include "kube/client/discovery.hpp"

namespace fairway::fleet {
Error seen_otherwise(Error error) {
  if (error.code == ErrorCode::AlreadyExists || error.code == ErrorCode::NotFound)
    error.code = ErrorCode::Conflict;
  return error;
}

Task<void> patch_seen(kube::Client& client, kube::Resource place, std::string version, json::Object patch) {
  json::ensure_object(patch, {"metadata"})["resourceVersion"] = version;
  auto patched =
      co_await client.patch(std::move(place), kube::PatchKind::Merge, std::move(patch),
                            {.field_manager = std::string(kFleetManager), .answer = kube::Answer::Nothing});
  if (!patched) co_return std::unexpected(seen_otherwise(std::move(patched.error())));
  co_return Result<void>{};
}

Task<json::Object> create_object(kube::Client& client, const kube::ResourceType& type, json::Object object,
                                 kube::Answer answer) {
  kube::Resource place = type.in(std::string(kube::namespace_of(object)));
  auto made = co_await client.create(std::move(place), std::move(object),
                                     {.field_manager = std::string(kFleetManager), .answer = answer});
  if (!made) co_return std::unexpected(seen_otherwise(std::move(made.error())));
  co_return made;
}

Task<void> write_status(kube::Client& client, WritePolicyStatus action) {
  const bool is_whole = std::holds_alternative<json::Object>(action.patch);
  json::Value patch = std::visit([](auto& each) { return json::Value(std::move(each)); }, action.patch);
  auto written = co_await client.patch(
      kPolicies.at(action.key, "status"), is_whole ? kube::PatchKind::Merge : kube::PatchKind::Json,
      std::move(patch), {.field_manager = std::string(kFleetManager), .answer = kube::Answer::Nothing});
  if (written) co_return Result<void>{};
  // A path that is not there any more says the same as another version.
  if (!is_whole && written.error().code == ErrorCode::Invalid) written.error().code = ErrorCode::Conflict;
  co_return std::unexpected(seen_otherwise(std::move(written.error())));
}

Task<void> remove_seen(kube::Client& client, kube::Resource place, std::string uid) {
  const auto removed = co_await client.remove(std::move(place), {.uid = std::move(uid)});
  if (!removed && removed.error().code != ErrorCode::NotFound) co_return std::unexpected(removed.error());
  co_return Result<void>{};
}

void log_quietly(const kube::StepReport& step) {
  if (!log::is_enabled(log::Level::Debug)) return;
  log::debug("action", {{"action", step.description}, {"outcome", std::string(to_string(step.outcome))}});
}

Task<bool> has_kind(kube::Client& client, const kube::ResourceType& type) {
  const auto found = co_await client.discovery().find(type.kind);
  if (!found && found.error().code != ErrorCode::NotFound) co_return std::unexpected(found.error());
  co_return found.has_value();
}

Task<void> require_kind(kube::Client& client, const kube::ResourceType& type, std::string controller) {
  FAIRWAY_CO_TRY(const bool is_known, co_await has_kind(client, type));
  if (is_known) co_return Result<void>{};
  co_return fail(ErrorCode::NotFound,
                 fmt::format("the server has no {} ({}), which the controller {} is about; expected its "
                             "CustomResourceDefinition, as in api/crds",
                             type.kind.kind, type.kind.api_version(), controller));
}

}  // namespace fairway::fleet
