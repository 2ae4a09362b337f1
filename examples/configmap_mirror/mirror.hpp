// An example controller: a ConfigMap is kept equal to the spec.data of the ConfigMapMirror of the same name.
// docs/controllers.md walks through it.
#pragma once

#include "kube/core/plan.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::kube {
class Runtime;
}

namespace fairway::examples {

struct MirrorSpec {
  std::map<std::string, std::string> data;
};
BOOST_DESCRIBE_STRUCT(MirrorSpec, (), (data))
struct Mirror {
  kube::ObjectMeta metadata;
  MirrorSpec spec = {};
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(Mirror, (), (metadata, spec, unknown))
inline kube::ResourceType resource_type(const Mirror*) {
  return {.kind = {"example.fairway.dev", "v1", "ConfigMapMirror"}, .resource = "configmapmirrors"};
}
struct ConfigMap {
  kube::ObjectMeta metadata;
  std::map<std::string, std::string> data = {};
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(ConfigMap, (), (metadata, data, unknown))
inline kube::ResourceType resource_type(const ConfigMap*) {
  return {.kind = {"", "v1", "ConfigMap"}, .resource = "configmaps"};
}

struct Observed {
  std::optional<Mirror> mirror;
  std::optional<ConfigMap> config_map;
};
// Creates the ConfigMap, or updates it if it has a version: the observed one, so that a write over someone
// else's is refused.
struct Write {
  ConfigMap config_map;
};
std::string describe(const Write& action);

kube::Plan<Write> decide(const Observed& seen);

// Keeps all mirrors of the cluster while the runtime runs.
void add_mirror_controller(kube::Runtime& runtime);

}  // namespace fairway::examples
