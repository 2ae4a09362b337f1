#include "mirror.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/runtime.hpp"
#include "kube/runtime/testing/laws.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::examples {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const kube::ObjectKey kKey{"ns", "one"};

Mirror mirror(std::string uid = "u") {
  return {.metadata = {.name = "one", .namespace_ = "ns", .uid = std::move(uid)},
          .spec = {.data = {{"a", "1"}}}};
}
ConfigMap config_map(std::string owner_uid, std::string value) {
  ConfigMap made{.metadata = {.name = "one", .namespace_ = "ns", .resource_version = "5"},
                 .data = {{"a", std::move(value)}}};
  made.metadata.owner_references = {{.kind = "ConfigMapMirror", .name = "one", .uid = std::move(owner_uid)}};
  return made;
}
std::string plan_for(std::optional<Mirror> one, std::optional<ConfigMap> other) {
  return to_text(summary(decide({std::move(one), std::move(other)})));
}

TEST(Mirror, Decides) {
  EXPECT_EQ(plan_for({}, config_map("u", "1")), "");
  EXPECT_EQ(plan_for(mirror(), {}), "do:   create ConfigMap ns/one\n");
  EXPECT_EQ(plan_for(mirror(), config_map("u", "1")), "");
  EXPECT_EQ(plan_for(mirror(), config_map("u", "2")), "do:   update ConfigMap ns/one\n");
  EXPECT_EQ(plan_for(mirror(), config_map("other", "2")),
            "note: the ConfigMap one belongs to somebody else and is left alone\n");
  Mirror going = mirror();
  going.metadata.deletion_timestamp = WallTime{};
  EXPECT_EQ(plan_for(going, {}), "");
  EXPECT_EQ(decide({mirror(), config_map("u", "2")}).actions[0].config_map.metadata.resource_version, "5");
}

// Two mirrors, a server that checks versions, users who edit anything, and one who has a ConfigMap of her
// own.
struct MirrorModel {
  struct World {
    std::map<kube::ObjectKey, Mirror> mirrors;
    std::map<kube::ObjectKey, ConfigMap> config_maps;
    int version = 0;
  };
  using Observed = examples::Observed;
  using Action = Write;

  std::vector<kube::ObjectKey> keys(const World&) const { return {kKey, {"ns", "two"}}; }
  Observed observe(const World& world, const kube::ObjectKey& key) const {
    Observed seen;
    if (const auto found = world.mirrors.find(key); found != world.mirrors.end()) seen.mirror = found->second;
    if (const auto found = world.config_maps.find(key); found != world.config_maps.end())
      seen.config_map = found->second;
    return seen;
  }
  kube::Plan<Write> decide(const Observed& seen) const { return examples::decide(seen); }

  Result<void> act(World& world, const Observed&, const Write& action) const {
    const auto& metadata = action.config_map.metadata;
    const kube::ObjectKey key{metadata.namespace_, metadata.name};
    const auto existing = world.config_maps.find(key);
    const bool is_new = metadata.resource_version.empty();
    if (is_new && existing != world.config_maps.end()) return fail(ErrorCode::AlreadyExists, "exists");
    if (!is_new && existing == world.config_maps.end()) return fail(ErrorCode::NotFound, "gone");
    if (!is_new && existing->second.metadata.resource_version != metadata.resource_version) {
      return fail(ErrorCode::Conflict, "changed");
    }
    store(world, key, action.config_map);
    return {};
  }
  // What belongs to somebody else is never touched.
  Result<void> invariant(const World& world) const {
    for (const auto& [key, each] : world.config_maps) {
      const bool is_foreign = each.metadata.labels.contains("foreign");
      if (is_foreign && each.data != std::map<std::string, std::string>{{"mine", "1"}}) {
        return fail(ErrorCode::Internal, key.to_string() + " was overwritten");
      }
    }
    return {};
  }
  Result<void> settled(const World& world) const {
    for (const auto& [key, each] : world.mirrors) {
      const auto found = world.config_maps.find(key);
      const bool is_mirrored = found != world.config_maps.end() && found->second.data == each.spec.data;
      const bool is_foreign =
          found != world.config_maps.end() && found->second.metadata.owner_references.empty();
      if (!is_mirrored && !is_foreign) return fail(ErrorCode::Internal, key.to_string() + " is not mirrored");
    }
    return {};
  }
  void disturb(World& world, kube::Random& random) const {
    const kube::ObjectKey key = keys(world)[random.below(2)];
    const std::string value = std::to_string(random.below(5));
    switch (random.below(5)) {
      case 0:
        world.mirrors.insert_or_assign(
            key, Mirror{.metadata = {.name = key.name, .namespace_ = key.namespace_, .uid = "u-" + key.name},
                        .spec = {.data = {{"a", value}}}});
        break;
      case 1:
        // With its ConfigMap, as garbage collection does.
        if (world.mirrors.erase(key) > 0)
          std::erase_if(world.config_maps, [&](const auto& each) {
            return each.first == key && !each.second.metadata.owner_references.empty();
          });
        break;
      case 2:
        world.config_maps.erase(key);
        break;
      case 3:
        if (!world.config_maps.contains(key)) {
          store(world, key,
                {.metadata = {.name = key.name, .namespace_ = key.namespace_, .labels = {{"foreign", "yes"}}},
                 .data = {{"mine", "1"}}});
        }
        break;
      default:
        if (const auto found = world.config_maps.find(key);
            found != world.config_maps.end() && !found->second.metadata.owner_references.empty()) {
          ConfigMap edited = found->second;
          edited.data["a"] = value;
          store(world, key, edited);
        }
    }
  }
  static void store(World& world, const kube::ObjectKey& key, ConfigMap made) {
    made.metadata.resource_version = std::to_string(++world.version);
    world.config_maps.insert_or_assign(key, std::move(made));
  }
};

TEST(Mirror, KeepsTheLaws) {
  EXPECT_EQ(kube::testing::check_laws(MirrorModel{}, {}), kube::testing::kLawful);
}

TEST(Mirror, RunsAgainstAServer) {
  kube::testing::ManualLoop manual;
  kube::testing::ScriptedApi api(manual.clock);
  const auto mirrors = resource_type(static_cast<const Mirror*>(nullptr)).gvr();
  const auto config_maps = resource_type(static_cast<const ConfigMap*>(nullptr)).gvr();
  kube::Client client(api.transport(), manual.clock, *http::Url::parse("http://api"));
  kube::Runtime runtime(client, {.name = "mirror"});
  add_mirror_controller(runtime);
  async::TaskGroup group(manual.loop.executor());
  group.spawn("runtime", runtime.run());
  api.put(mirrors, kube::encode(mirror()));
  manual.advance(1s);
  ASSERT_THAT(api.all(config_maps), SizeIs(1));
  json::Object made = *api.get(config_maps, kKey);
  EXPECT_EQ(json::get_string(made, {"data", "a"}), "1");
  made["data"] = json::Object{{"a", "edited"}};
  api.put(config_maps, made);
  manual.advance(1s);
  EXPECT_EQ(json::get_string(*api.get(config_maps, kKey), {"data", "a"}), "1") << "an edit is undone";
  api.remove(config_maps, kKey);
  manual.advance(1s);
  EXPECT_THAT(api.all(config_maps), SizeIs(1)) << "a deletion is undone";
  group.cancel();
  manual.settle();
  EXPECT_EQ(group.size(), 0U);
}

}  // namespace
}  // namespace fairway::examples
