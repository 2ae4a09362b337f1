// Target: the server that the suite runs against: one of our own inside this process, or the one that a
// kubeconfig names.
//
// Our own is in memory and lives on its own thread and event loop, started with the first case that needs it
// and shared by all cases of the process. Both are reached in the same way, through a kubeconfig and TLS.
#pragma once

#include <memory>
#include <string>

#include "async/event_loop.hpp"
#include "async/process.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "kube/client/client_config.hpp"

#include "api.hpp"

namespace fairway::contract {

class EmbeddedServer;

// How many changes the embedded server remembers: few, so that a case can make it forget.
inline constexpr std::size_t kHistoryChanges = 320;

class Target {
 public:
  // Of this process. `named`: the server of the current context of a kubeconfig file.
  static Result<std::unique_ptr<Target>> embedded();
  static Result<std::unique_ptr<Target>> named(const std::string& kubeconfig);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  bool is_embedded() const { return embedded_ != nullptr; }
  // Whether something collects garbage and empties namespaces, as the controller manager does.
  bool has_controllers() const { return has_controllers_; }

  Result<Api> administrator();
  Result<Api> anonymous();
  Result<Api> bearer_of(std::string token);

 private:
  explicit Target(kube::ClientConfig config);
  Result<Api> connect(const kube::ClientConfig& config);

  std::unique_ptr<EmbeddedServer> embedded_;
  kube::ClientConfig config_;
  bool has_controllers_ = false;
  SystemClock clock_;
  SystemProcess process_{clock_};
  async::WorkerPool pool_{"contract-exec", 1};
  async::EventLoop loop_;
};

}  // namespace fairway::contract
