// ControllerKind: one of the controllers that `fairway controllers` can run.
//
// Each has a file of its own, which adds the flags to the command, says what must be known before anything
// runs, and puts the controller together. To add one: its file, its declaration here, its line in
// controllers.cpp.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string_view>

#include "async/event_loop.hpp"
#include "async/task.hpp"
#include "base/metrics.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::cli {

// What all of them share; outlives them.
struct ControllerHost {
  async::EventLoop& loop;
  kube::Runtime& runtime;
  metrics::Registry& registry;
};

// One that was put together: what it does besides its part in the runtime. Empty where it does nothing; what
// it needs lives as long as these functions.
struct ChosenController {
  std::function<Task<void>()> prepare = {};                 // before the runtime runs
  std::function<Task<void>()> run = {};                     // beside it, until cancelled
  std::function<boost::asio::awaitable<void>()> stop = {};  // after it
};

using MakeController = std::function<ChosenController(const ControllerHost&)>;

struct ControllerKind {
  std::string_view name;
  std::string_view description;
  // It runs where it is asked for by name, and the server's own limits are enough for it.
  bool is_for_hubs = false;
  // After the flags were read, for one that was chosen: refuses what cannot be.
  std::function<MakeController()> complete;
};

// These add the flags; called once for a command.
ControllerKind cluster_version_kind(CLI::App& command);
ControllerKind ingress_kind(CLI::App& command);
ControllerKind fleet_kind(CLI::App& command);
ControllerKind policy_kind(CLI::App& command);
ControllerKind placement_kind(CLI::App& command);

}  // namespace fairway::cli
