// Serve: runs an API server in this process until it is asked to stop.
//
// Ctrl-C or SIGTERM ends streams, lets requests finish and closes the store; a second one ends the process at
// once, which the store survives. The options are those of every command that runs a server.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

#include "apiserver/server.hpp"
#include "async/event_loop.hpp"
#include "base/result.hpp"
#include "cli/options.hpp"

namespace fairway::cli {

struct ServeSettings {
  std::string data;  // empty: the default directory
  Endpoint listen{"127.0.0.1", 6443};
  std::string write_kubeconfig;
  apiserver::ServerSettings server = {};
};

// --data, --listen, --write-kubeconfig and what else a server can be told.
void add_serve_options(CLI::App& command, ServeSettings& settings);
CLI::Option& add_data_option(CLI::App& command, std::string& into, const std::string& description);

struct Serving {
  const apiserver::ApiServer& server;
  std::string kubeconfig;  // the file; empty when nothing was written
};

// What runs beside the server, on its loop.
struct ServeHooks {
  std::function<Result<void>(async::EventLoop&, const Serving&)> on_ready;  // once, when the server answers
  std::function<boost::asio::awaitable<void>()> before_stop = {};
  std::function<void()> on_hangup = {};  // SIGHUP; without it the signal keeps its usual meaning
};

// With `is_in_memory`, nothing is kept.
Result<void> serve(const ServeSettings& settings, bool is_in_memory, const ServeHooks& hooks);

}  // namespace fairway::cli
