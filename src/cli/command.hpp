// Command: what every subcommand is given, and how it says what it will do.
//
// A subcommand's file adds its CLI11 command to the tree and, in the command's callback, sets
// Invocation::action. Nothing runs while arguments are still being read, so wrong usage never has an effect.
// Data goes to `out`, messages for people to `err`; an action's error is printed and turned into the exit
// code in one place (program.cpp).
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace fairway::cli {

struct Invocation {
  std::string program;  // as the user types it: "fairway", or "kubectl fairway"
  std::ostream& out;
  std::ostream& err;
  std::function<Result<void>()> action = {};  // set by the command that the arguments name
  int verdict = 0;  // the exit code of an action that did its work; some commands answer with more than done
};

// The headings of `fairway --help`, in its order.
inline constexpr const char* kRunCommands = "Run Fairway";
inline constexpr const char* kClusterCommands = "Update Clusters";
inline constexpr const char* kDeviceCommands = "Update Devices";
inline constexpr const char* kOtherCommands = "Other Commands";
inline constexpr const char* kSubcommands = "Available Commands";
inline constexpr const char* kHidden = "";

void add_up(CLI::App& root, Invocation& invocation);
void add_agent(CLI::App& root, Invocation& invocation);
void add_apiserver(CLI::App& root, Invocation& invocation);
void add_apiserver_backup(CLI::App& apiserver, Invocation& invocation);
void add_apiserver_check(CLI::App& apiserver, Invocation& invocation);
void add_cloud(CLI::App& root, Invocation& invocation);
void add_console(CLI::App& root, Invocation& invocation);
void add_completion(CLI::App& root, Invocation& invocation);
void add_controllers(CLI::App& root, Invocation& invocation);
void add_device(CLI::App& root, Invocation& invocation);
void add_device_report(CLI::App& device, Invocation& invocation);
void add_device_simulate(CLI::App& device, Invocation& invocation);
void add_graph(CLI::App& root, Invocation& invocation);
void add_graph_audit(CLI::App& graph, Invocation& invocation);
void add_graph_diff(CLI::App& graph, Invocation& invocation);
void add_graph_explain(CLI::App& graph, Invocation& invocation);
void add_graph_generate(CLI::App& graph, Invocation& invocation);
void add_graph_lint(CLI::App& graph, Invocation& invocation);
void add_graph_path(CLI::App& graph, Invocation& invocation);
void add_graph_promote(CLI::App& graph, Invocation& invocation);
void add_graph_show(CLI::App& graph, Invocation& invocation);
void add_graph_simulate(CLI::App& graph, Invocation& invocation);
void add_help(CLI::App& root, Invocation& invocation);
void add_ingress(CLI::App& root, Invocation& invocation);
void add_options(CLI::App& root, Invocation& invocation);
void add_promql(CLI::App& root, Invocation& invocation);
void add_promql_check(CLI::App& promql, Invocation& invocation);
void add_promql_eval(CLI::App& promql, Invocation& invocation);
void add_promql_test(CLI::App& promql, Invocation& invocation);
void add_rollout(CLI::App& root, Invocation& invocation);
void add_tour(CLI::App& root, Invocation& invocation);
void add_update_service(CLI::App& root, Invocation& invocation);
void add_upgrade(CLI::App& root, Invocation& invocation);
void add_version(CLI::App& root, Invocation& invocation);

// Binds a command's settings to its action: the settings live as long as the action may run.
template <class Settings>
void on_chosen(CLI::App& command, Invocation& invocation, std::shared_ptr<Settings> settings,
               Result<void> (*act)(const Settings&, Invocation&)) {
  command.callback([&command, &invocation, settings, act] {
    if (!command.get_subcommands().empty()) return;  // a subcommand of it was meant
    invocation.action = [&invocation, settings, act] { return act(*settings, invocation); };
  });
}

}  // namespace fairway::cli
