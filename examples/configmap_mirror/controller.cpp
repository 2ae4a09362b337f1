#include "kube/client/api.hpp"
#include "kube/runtime/control_loop.hpp"

#include "mirror.hpp"

namespace fairway::examples {
namespace {

Task<Observed> observe(kube::Cache<Mirror>& mirrors, kube::Cache<ConfigMap>& config_maps,
                       kube::ObjectKey key) {
  Observed seen;
  if (const auto mirror = mirrors.get(key)) seen.mirror = *mirror;
  if (const auto config_map = config_maps.get(key)) seen.config_map = *config_map;
  co_return seen;
}

Task<void> act(kube::Client& client, Write action) {
  const kube::Api<ConfigMap> api(client);
  const bool is_new = action.config_map.metadata.resource_version.empty();
  FAIRWAY_CO_CHECKED(co_await (is_new ? api.create(action.config_map) : api.update(action.config_map)));
  co_return Result<void>{};
}

}  // namespace

void add_mirror_controller(kube::Runtime& runtime) {
  auto& mirrors = runtime.cache<Mirror>();
  auto& config_maps = runtime.cache<ConfigMap>();
  auto& controller = kube::add_control_loop<Observed, Write>(
      runtime, {.name = "configmap-mirror", .workers = 2},
      {.observe = [&](kube::ObjectKey key) { return observe(mirrors, config_maps, std::move(key)); },
       .decide = decide,
       .act = [&runtime](Write action) { return act(runtime.client(), std::move(action)); }});
  controller.watch(mirrors);
  controller.watch(config_maps);  // has the name of its mirror, so its key is the mirror's key
}

}  // namespace fairway::examples
