// The example, the runtime and the client on the embedded API server: the real thing, over TLS, also when it
// is restarted under load.
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ranges>
#include <sstream>

#include "apiserver/server.hpp"
#include "async/notify.hpp"
#include "json/yaml.hpp"
#include "kube/client/api.hpp"
#include "kube/client/discovery.hpp"
#include "kube/client/testing/temp_dir.hpp"
#include "kube/client/transport.hpp"
#include "kube/core/conditions.hpp"
#include "kube/runtime/runtime.hpp"

#include "mirror.hpp"

namespace fairway::examples {
namespace {

using namespace std::chrono_literals;
using apiserver::ApiServer;
using kube::testing::TempDir;

const kube::ResourceType kDefinitions{.kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                                      .resource = "customresourcedefinitions",
                                      .is_namespaced = false};

json::Object crd() {
  std::ifstream file(FAIRWAY_SOURCE_DIR "/examples/configmap_mirror/crd.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return json::parse_yaml(text.str())->get_object();
}

Task<void> stop_server(ApiServer& server) {
  co_await server.stop(Duration::zero());
  co_return Result<void>{};
}

// A server and a client of it on one event loop.
struct Embedded {
  explicit Embedded(apiserver::ServerSettings given) : settings(std::move(given)) { start(); }
  ~Embedded() { stop(); }
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  void start() {
    auto started = loop.block_on(ApiServer::start(loop, settings));
    ASSERT_TRUE(started) << started.error().describe();
    server = *std::move(started);
    settings.port = server->port();  // of the next start too
  }
  // Before what they use goes.
  void end_tasks() {
    group.cancel();
    loop.run_until([this] { return group.size() == 0; });
  }
  void stop() {
    if (!server) return;
    EXPECT_TRUE(loop.block_on(stop_server(*server)));
    server.reset();
  }
  std::unique_ptr<kube::Client> connect() {
    const auto kubeconfig = kube::parse_kubeconfig(server->kubeconfig(), "the server's kubeconfig");
    EXPECT_TRUE(kubeconfig);
    const auto config = kube::resolve_context(*kubeconfig);
    EXPECT_TRUE(config);
    auto transport = kube::make_transport(loop.executor(), loop.clock(), *config);
    EXPECT_TRUE(transport);
    return std::make_unique<kube::Client>(*transport, loop.clock(), config->server,
                                          kube::ClientOptions{.requests_per_second = 0});
  }

  async::EventLoop loop;
  apiserver::ServerSettings settings;
  std::unique_ptr<ApiServer> server;
  async::TaskGroup group{loop.executor()};
};

TEST(OnTheEmbeddedServer, TheMirrorWorksFromDefinitionToGarbageCollection) {
  Embedded embedded({.install_product_crds = false});
  auto client = embedded.connect();
  kube::RuntimeOptions options{.name = "mirror"};
  options.leader_election = {.lease = {"default", "mirror"}, .identity = "me"};
  kube::Runtime runtime(*client, options);
  add_mirror_controller(runtime);
  auto& definitions = runtime.cache(kDefinitions);
  auto& config_maps = runtime.cache<ConfigMap>();
  embedded.group.spawn("runtime", runtime.run());
  embedded.loop.run_until([&] { return runtime.health().is_leader && definitions.has_synced(); });
  EXPECT_FALSE(runtime.health().is_ready) << "the mirrors' kind is not there yet";

  ASSERT_TRUE(embedded.loop.block_on(client->create(kDefinitions.in(""), crd())));
  embedded.loop.run_until([&] {
    const auto found = definitions.get({"", "configmapmirrors.example.fairway.dev"});
    return found && kube::is_condition_true(kube::conditions_of(*found), "Established");
  });
  const auto type =
      embedded.loop.block_on(client->discovery().find({"example.fairway.dev", "v1", "ConfigMapMirror"}));
  ASSERT_TRUE(type) << type.error().describe();
  EXPECT_EQ(type->resource, "configmapmirrors");

  const kube::Api<Mirror> mirrors(*client, "default");
  const auto wait_for = [&](const std::string& value) {
    embedded.loop.run_until([&] {
      const auto found = config_maps.get({"default", "one"});
      return found && found->data == std::map<std::string, std::string>{{"a", value}};
    });
  };
  auto made =
      embedded.loop.block_on(mirrors.create({.metadata = {.name = "one"}, .spec = {.data = {{"a", "1"}}}}));
  ASSERT_TRUE(made) << made.error().describe();
  wait_for("1");
  made->spec.data = {{"a", "2"}};
  ASSERT_TRUE(embedded.loop.block_on(mirrors.update(*made)));
  wait_for("2");
  const kube::Api<ConfigMap> api(*client, "default");
  ASSERT_TRUE(
      embedded.loop.block_on(api.patch("one", kube::PatchKind::Merge, {{"data", {{"a", "edited"}}}})));
  wait_for("2");
  ASSERT_TRUE(embedded.loop.block_on(mirrors.remove("one")));
  embedded.loop.run_until([&] { return !config_maps.get({"default", "one"}); });
  EXPECT_TRUE(runtime.health().is_ready);
  embedded.end_tasks();
  const auto lease = embedded.loop.block_on(kube::Api<kube::Lease>(*client, "default").get("mirror"));
  ASSERT_TRUE(lease) << lease.error().describe();
  EXPECT_EQ(lease->spec.holder_identity, "") << "handed over at the end";
}

struct Load {
  int objects = 10;
  int rounds = 10;
  int written = 0;
};

// Writes until everything is acknowledged, whatever happens to the server.
Task<void> write_all(kube::Client& client, Load& load) {
  const kube::ResourceType type = resource_type(static_cast<const ConfigMap*>(nullptr));
  for (int i = 0; i < load.objects * load.rounds; ++i) {
    const std::string name = "c" + std::to_string(i % load.objects);
    const json::Object wanted = *json::parse_object(fmt::format(
        R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"}},"data":{{"v":"{}"}}}})", name,
        i));
    for (;;) {
      auto applied = co_await client.apply(type.in("default", name), wanted, {.force = true});
      if (applied) break;
      if (applied.error().code == ErrorCode::Cancelled) co_return std::unexpected(applied.error());
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(client.clock(), 1ms));
    }
    ++load.written;
  }
  co_return Result<void>{};
}

TEST(OnTheEmbeddedServer, ACacheSurvivesRestartsUnderLoad) {
  TempDir dir;
  Embedded embedded({.data_directory = dir.path("data"), .install_product_crds = false});
  auto client = embedded.connect();
  kube::Cache<ConfigMap> cache;
  std::map<std::string, int> newest;
  const auto subscription = cache.on_change([&](const kube::Change<ConfigMap>& change) {
    ASSERT_TRUE(change.after) << "nothing is ever deleted";
    if (!change.after->data.contains("v")) return;
    const int value = std::stoi(change.after->data.at("v"));
    EXPECT_GE(value, newest[change.key.name]) << "time went backwards";
    newest[change.key.name] = value;
  });
  kube::Watcher watcher(
      *client, resource_type(static_cast<const ConfigMap*>(nullptr)).in("default"),
      {.backoff = {.first = 5ms, .cap = 50ms}},
      [&](kube::WatcherEvent event) { cache.receive(std::move(event)); }, [](const Error&) {});
  Load load;
  embedded.group.spawn("watcher", watcher.run());
  embedded.group.spawn("writer", write_all(*client, load));
  for (int restart = 1; restart <= 3; ++restart) {
    embedded.loop.run_until([&] { return load.written >= restart * 25; });
    embedded.stop();
    embedded.start();
  }
  embedded.loop.run_until([&] { return load.written == load.objects * load.rounds; });
  embedded.loop.run_until([&] {
    return std::ranges::all_of(std::views::iota(0, load.objects), [&](int i) {
      return newest["c" + std::to_string(i)] == load.objects * (load.rounds - 1) + i;
    });
  });
  EXPECT_TRUE(cache.has_synced());
  embedded.end_tasks();
}

}  // namespace
}  // namespace fairway::examples
