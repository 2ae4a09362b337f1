// The deleting part of lifecycle.hpp.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "apiserver/lifecycle.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

// The finalizers after the propagation policy had its say.
json::Array finalizers_after(const Object& object, const DeleteOptions& options) {
  json::Array result;
  const json::Array* current = json::get_array(object, {"metadata", "finalizers"});
  const std::string_view added = options.propagation == "Orphan"       ? kOrphan
                                 : options.propagation == "Foreground" ? kForeground
                                                                       : std::string_view();
  for (const Value& finalizer : current ? *current : json::Array{}) {
    const bool is_policy = finalizer == Value(kOrphan) || finalizer == Value(kForeground);
    if (!options.propagation || !is_policy) result.push_back(finalizer);
  }
  if (!added.empty()) result.push_back(Value(added));
  return result;
}

ApiResult<void> check_preconditions(const Resource& resource, const Object& object,
                                    const DeleteOptions& options) {
  const auto uid = kube::uid_of(object);
  if (options.uid && *options.uid != uid) {
    return refuse(conflict(resource, kube::name_of(object),
                           fmt::format("the UID in the precondition ({}) does not match the UID in record "
                                       "({}). The object might have been "
                                       "deleted and then recreated",
                                       *options.uid, uid)));
  }
  const auto version = kube::resource_version_of(object);
  if (options.resource_version && *options.resource_version != version) {
    return refuse(conflict(resource, kube::name_of(object),
                           fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                                       "ResourceVersion in record ({}). The "
                                       "object might have been modified",
                                       *options.resource_version, version)));
  }
  return {};
}

}  // namespace

ApiResult<DeleteOptions> DeleteOptions::parse(const Object& body, const http::Query& query) {
  DeleteOptions options;
  const auto text = [&](json::Path path) -> std::optional<std::string> {
    const auto value = json::get_string(body, path);
    return value && !value->empty() ? std::optional<std::string>(*value) : std::nullopt;
  };
  options.uid = text({"preconditions", "uid"});
  options.resource_version = text({"preconditions", "resourceVersion"});
  options.propagation = text({"propagationPolicy"});
  if (const auto policy = query.get("propagationPolicy"); policy && !policy->empty())
    options.propagation = std::string(*policy);
  auto orphan = json::get_bool(body, {"orphanDependents"});
  if (const auto asked = query.get("orphanDependents")) orphan = *asked == "true";
  if (orphan && options.propagation) {
    return refuse(invalid_options(
        "DeleteOptions",
        json::FieldError::invalid("propagationPolicy", Value(*options.propagation),
                                  "orphanDependents and deletionPropagation cannot be both set")));
  }
  if (orphan) options.propagation = *orphan ? "Orphan" : "Background";
  static const std::vector<std::string> kPolicies{"Background", "Foreground", "Orphan"};
  if (options.propagation && std::ranges::find(kPolicies, *options.propagation) == kPolicies.end()) {
    return refuse(invalid_options(
        "DeleteOptions",
        json::FieldError::not_supported("propagationPolicy", Value(*options.propagation), kPolicies)));
  }
  if (const json::Array* dry_run = json::get_array(body, {"dryRun"})) options.dry_run = !dry_run->empty();
  return options;
}

ApiResult<DeleteDecision> decide_delete(const Resource& resource, const Object& object,
                                        const DeleteOptions& options, WallTime now) {
  constexpr std::array<std::string_view, 3> kImmortal{"default", "kube-public", "kube-system"};
  if (resource.group.empty() && resource.kind == "Namespace" &&
      std::ranges::find(kImmortal, kube::name_of(object)) != kImmortal.end()) {
    return refuse(forbidden(resource, kube::name_of(object), "this namespace may not be deleted"));
  }
  if (auto met = check_preconditions(resource, object, options); !met) return refuse(std::move(met.error()));
  json::Array finalizers = finalizers_after(object, options);
  const json::Array* current = json::get_array(object, {"metadata", "finalizers"});
  const bool is_deleting = kube::is_being_deleted(object);
  const bool same_finalizers = current == nullptr ? finalizers.empty() : finalizers == *current;
  const bool is_namespace = resource.group.empty() && resource.kind == "Namespace";
  const json::Array* own = is_namespace ? json::get_array(object, {"spec", "finalizers"}) : nullptr;
  const bool waits = !finalizers.empty() || (own != nullptr && !own->empty());
  if (!waits) return RemoveNow{};
  if (is_deleting && same_finalizers) return KeepAsIs{};
  Object marked = object;
  Object& metadata = marked["metadata"].get_object();
  if (!is_deleting) {
    metadata["deletionTimestamp"] = format_rfc3339(now);
    metadata["deletionGracePeriodSeconds"] = 0;
    const auto generation = json::get_int(metadata, {"generation"}).value_or(0);
    if (generation > 0) metadata["generation"] = generation + 1;
  }
  if (finalizers.empty()) {
    json::remove(metadata, "finalizers");
  } else {
    metadata["finalizers"] = std::move(finalizers);
  }
  if (is_namespace) json::ensure_object(marked, {"status"})["phase"] = "Terminating";
  return MarkDeleted{std::move(marked)};
}

}  // namespace fairway::apiserver
