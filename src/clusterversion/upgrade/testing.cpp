#include "clusterversion/upgrade/testing.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "json/patch.hpp"
#include "json/yaml.hpp"

namespace fairway::clusterversion::upgrade::testing {

std::string test_file(const std::string& name) {
  std::ifstream file(std::string(FAIRWAY_SOURCE_DIR) + "/src/clusterversion/upgrade/testdata/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

ClusterVersion story_cluster() {
  const auto document = json::parse_yaml(test_file("cluster.yaml"));
  FAIRWAY_CHECK(document && document->is_object(), "the cluster of the tests can be read");
  auto cluster = kube::decode<ClusterVersion>(document->get_object());
  FAIRWAY_CHECK(cluster, "the cluster of the tests is a ClusterVersion");
  return *std::move(cluster);
}

void set_condition(ClusterVersion& cluster, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message) {
  kube::set_condition(cluster.status.conditions,
                      {.type = std::string(type),
                       .status = std::string(status),
                       .reason = std::string(reason),
                       .message = std::string(message)},
                      WallTime(std::chrono::seconds(1'630'000'000)));
}

ClusterVersion patched(const ClusterVersion& cluster, const json::Object& patch) {
  json::Value object = kube::encode(cluster);
  json::apply_merge_patch(object, patch);
  auto after = kube::decode<ClusterVersion>(object.get_object());
  FAIRWAY_CHECK(after, "a patched ClusterVersion is one");
  return *std::move(after);
}

}  // namespace fairway::clusterversion::upgrade::testing
