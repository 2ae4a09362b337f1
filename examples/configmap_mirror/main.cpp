// configmap_mirror [CONTEXT]: runs the example against the cluster that kubectl would use.
#include <csignal>
#include <cstdio>

#include "async/event_loop.hpp"
#include "kube/client/transport.hpp"
#include "kube/runtime/runtime.hpp"

#include "mirror.hpp"

namespace fairway::examples {
namespace {

Result<void> run(const std::string& context) {
  async::EventLoop loop;
  kube::ConfigSources sources = kube::ConfigSources::from_environment();
  sources.choice.context = context;
  FAIRWAY_TRY(const kube::ClientConfig config, kube::load_client_config(sources));
  FAIRWAY_TRY(auto transport, kube::make_transport(loop.executor(), loop.clock(), config));
  kube::Client client(transport, loop.clock(), config.server);
  kube::Runtime runtime(client, {.name = "configmap-mirror"});
  add_mirror_controller(runtime);
  async::TaskGroup group(loop.executor());
  group.spawn("runtime", runtime.run());
  loop.on_signals({SIGINT, SIGTERM}, [&](int) { group.cancel(); });
  loop.run_until([&] { return group.size() == 0; });
  return {};
}

}  // namespace
}  // namespace fairway::examples

int main(int argc, char** argv) {
  const auto result = fairway::examples::run(argc > 1 ? argv[1] : "");
  if (!result) std::fprintf(stderr, "configmap_mirror: %s\n", result.error().describe().c_str());
  return result ? 0 : 1;
}
