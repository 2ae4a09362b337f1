#include "kube/client/discovery.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "kube/client/client.hpp"

namespace fairway::kube {
namespace {

struct ApiResource {
  std::string name;
  std::string kind;
  bool namespaced = false;
  std::string group;
  std::string version;
};
BOOST_DESCRIBE_STRUCT(ApiResource, (), (name, kind, namespaced, group, version))

struct ApiResourceList {
  std::vector<ApiResource> resources;
};
BOOST_DESCRIBE_STRUCT(ApiResourceList, (), (resources))

const ResourceType* find_kind(const std::vector<ResourceType>& types, std::string_view kind) {
  const auto found = std::ranges::find(types, kind, [](const ResourceType& type) { return type.kind.kind; });
  return found == types.end() ? nullptr : &*found;
}

std::unexpected<Error> no_such_kind(const GroupVersionKind& kind, const std::vector<ResourceType>& types) {
  std::vector<std::string> kinds;
  kinds.reserve(types.size());
  for (const auto& type : types) kinds.push_back(type.kind.kind);
  std::string message =
      fmt::format("the server has no kind {} in {}", quoted(kind.kind), quoted(kind.api_version()));
  if (const auto meant = nearest(kind.kind, kinds)) message += fmt::format(": did you mean {}?", *meant);
  return fail(ErrorCode::NotFound, std::move(message));
}

}  // namespace

void Discovery::invalidate() {
  known_.clear();
  preferred_.clear();
}

Task<ResourceType> Discovery::find(GroupVersionKind kind) {
  if (kind.version.empty()) {
    FAIRWAY_CO_TRY(kind.version, co_await preferred_version(kind.group));
  }
  if (const auto known = known_.find(kind.group_version()); known != known_.end()) {
    if (const auto* type = find_kind(known->second, kind.kind)) co_return *type;
  }
  auto types = co_await fetch(kind.group_version());
  if (!types && types.error().code == ErrorCode::NotFound) co_return no_such_kind(kind, {});
  if (!types) co_return std::unexpected(std::move(types.error()));
  if (const auto* type = find_kind(*types, kind.kind)) co_return *type;
  co_return no_such_kind(kind, *types);
}

Task<std::vector<ResourceType>> Discovery::resources(GroupVersion group_version) {
  if (const auto known = known_.find(group_version); known != known_.end()) co_return known->second;
  co_return co_await fetch(std::move(group_version));
}

Task<std::string> Discovery::preferred_version(std::string group) {
  if (group.empty()) co_return "v1";
  if (const auto known = preferred_.find(group); known != preferred_.end()) co_return known->second;
  FAIRWAY_CO_TRY(
      const json::Object answer,
      co_await client_.call({.method = "GET", .path_and_query = "/apis/" + percent_encode(group)}));
  const auto version = json::get_string(answer, {"preferredVersion", "version"});
  if (!version) {
    co_return fail(
        ErrorCode::Internal,
        fmt::format("expected the group {} to have a preferred version, found none", quoted(group)));
  }
  co_return preferred_[group] = std::string(*version);
}

Task<std::vector<ResourceType>> Discovery::fetch(GroupVersion group_version) {
  const std::string path = group_version.group.empty()
                               ? "/api/" + percent_encode(group_version.version)
                               : fmt::format("/apis/{}/{}", percent_encode(group_version.group),
                                             percent_encode(group_version.version));
  FAIRWAY_CO_TRY(const json::Object answer, co_await client_.call({.method = "GET", .path_and_query = path}));
  FAIRWAY_CO_TRY(const ApiResourceList list, json::from_json<ApiResourceList>(answer));
  std::vector<ResourceType> types;
  for (const ApiResource& resource : list.resources) {
    if (resource.name.contains('/')) continue;
    // A resource may be served in one group with objects of another.
    types.push_back(
        {.kind = {resource.group.empty() ? group_version.group : resource.group,
                  resource.version.empty() ? group_version.version : resource.version, resource.kind},
         .resource = resource.name,
         .is_namespaced = resource.namespaced});
  }
  co_return known_[group_version] = std::move(types);
}

}  // namespace fairway::kube
