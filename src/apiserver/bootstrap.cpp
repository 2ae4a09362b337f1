#include "apiserver/bootstrap.hpp"

#include <boost/asio/this_coro.hpp>

#include "apiserver/rbac_bootstrap.hpp"
#include "apiserver/request_info.hpp"
#include "async/task_group.hpp"
#include "kube/core/gvk.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kManager = "fairway-apiserver";

struct Wanted {
  const Resource* resource;
  json::Object object;
};

ApiTask<void> ensure(Objects& objects, const std::string& cluster, const Wanted& wanted) {
  const std::string name(kube::name_of(wanted.object));
  const std::string ns(json::get_string(wanted.object, {"metadata", "namespace"}).value_or(""));
  const Place place{cluster, wanted.resource, ns, name};
  WriteOptions options;
  options.version = &wanted.resource->storage_version();
  options.manager = std::string(kManager);
  if (wanted.resource->kind == "CustomResourceDefinition") {
    auto applied = co_await objects.patch(place, {PatchBody::Kind::Apply, wanted.object, true}, options);
    if (!applied) co_return refuse(std::move(applied.error()));
    co_return ApiResult<void>{};
  }
  if (objects.get(place)) co_return ApiResult<void>{};
  auto created = co_await objects.create(place, wanted.object, options);
  if (!created && created.error().code != 409) co_return refuse(std::move(created.error()));
  co_return ApiResult<void>{};
}

Task<void> ensure_and_keep_error(Objects& objects, const std::string& cluster, const Wanted& wanted,
                                 std::optional<ApiError>& error) {
  auto done = co_await ensure(objects, cluster, wanted);
  if (!done && !error) error = std::move(done.error());
  co_return Result<void>{};
}

json::Object namespace_object(std::string_view name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", json::Object{{"name", name}}}};
}

std::vector<Wanted> wanted_objects(const Catalog& catalog, bool is_hub, bool with_product_crds) {
  std::vector<Wanted> wanted;
  const auto add = [&](json::Object object) {
    const auto version = kube::GroupVersion::parse(json::get_string(object, {"apiVersion"}).value_or(""));
    FAIRWAY_CHECK(version.has_value(), "an object of ours has a malformed apiVersion");
    const Resource* resource =
        catalog.find_kind(version->group, json::get_string(object, {"kind"}).value_or(""));
    FAIRWAY_CHECK(resource != nullptr, "an object of ours is of a kind that is not built in");
    wanted.push_back({resource, std::move(object)});
  };
  for (std::string_view name : {"default", "kube-system", "kube-public", "kube-node-lease"})
    add(namespace_object(name));
  for (json::Object& object : bootstrap_rbac(is_hub)) add(std::move(object));
  if (with_product_crds) {
    for (const json::Object& crd : product_crds()) add(crd);
  }
  return wanted;
}

}  // namespace

ApiTask<void> bootstrap_cluster(Objects& objects, LogicalCluster& cluster, bool with_product_crds) {
  const auto catalog = cluster.catalog;
  const std::vector<Wanted> wanted = wanted_objects(*catalog, cluster.name == kHubCluster, with_product_crds);
  std::optional<ApiError> error;
  {
    async::TaskGroup group(co_await boost::asio::this_coro::executor);
    // Namespaces first: what lives in them needs them. All the rest shares a few commits.
    for (const Wanted& one : wanted) {
      if (one.resource->kind != "Namespace") continue;
      if (auto done = co_await ensure(objects, cluster.name, one); !done)
        co_return refuse(std::move(done.error()));
    }
    for (const Wanted& one : wanted) {
      if (one.resource->kind == "Namespace") continue;
      group.spawn("bootstrap", ensure_and_keep_error(objects, cluster.name, one, error));
    }
    if (!(co_await group.join())) co_await group.stop();
  }
  if (error) co_return refuse(*std::move(error));
  co_return ApiResult<void>{};
}

}  // namespace fairway::apiserver
