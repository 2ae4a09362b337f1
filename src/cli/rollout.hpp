// What the files of `fairway rollout` share.
#pragma once

#include <CLI/App.hpp>

#include "cli/command.hpp"
#include "cli/rollout_session.hpp"

namespace fairway::cli {

// A subcommand with -n and the cluster options.
CLI::App& add_rollout_command(CLI::App& parent, RolloutSettings& settings, const char* name,
                              const char* description, const char* example);

// pause, resume, approve, rerun, rollback, block.
void add_rollout_steering(CLI::App& rollout, Invocation& invocation);

}  // namespace fairway::cli
