// The flags of `fairway upgrade` and of its subcommands, and what adds the latter.
//
// All of them share one value: whichever command is chosen, the flags that it takes are in it.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/prometheus_explain.hpp"
#include "clusterversion/upgrade/channel.hpp"
#include "clusterversion/upgrade/list.hpp"
#include "clusterversion/upgrade/progress.hpp"
#include "clusterversion/upgrade/recommend.hpp"
#include "clusterversion/upgrade/request.hpp"

namespace fairway::cli {

struct UpgradeSettings {
  ClusterSettings cluster = {};
  std::string output = {};
  bool watch = false;
  bool dry_run = false;
  clusterversion::upgrade::RequestFlags request = {};
  clusterversion::upgrade::ListOptions list = {};
  std::string channel = {};
  bool allow_explicit_channel = false;
  clusterversion::upgrade::AcceptFlags accept = {};
  std::string accepted_issues = {};  // separated by commas
  clusterversion::upgrade::RecommendFlags recommend = {};
  clusterversion::upgrade::HistoryOptions history = {};
  std::string risk = {};
  std::vector<std::string> metrics = {};
  PrometheusSettings prometheus = {};
  std::string at = {};
};
using SharedUpgradeSettings = std::shared_ptr<UpgradeSettings>;

void add_upgrade_accept(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);
void add_upgrade_channel(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);
void add_upgrade_explain(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);
void add_upgrade_history(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);
void add_upgrade_recommend(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);
void add_upgrade_rollback(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);
void add_upgrade_status(CLI::App& upgrade, Invocation& invocation, const SharedUpgradeSettings& settings);

// The subcommand with what each of them has: help, the options of a cluster, -o with these words.
CLI::App& add_upgrade_command(CLI::App& upgrade, const char* name, const char* description,
                              const char* examples, UpgradeSettings& settings,
                              std::initializer_list<std::string_view> formats);
void add_watch_option(CLI::App& command, UpgradeSettings& settings);
void add_dry_run_option(CLI::App& command, UpgradeSettings& settings);

using UpgradeAction = Result<void> (*)(const UpgradeSettings&, Invocation&);
// Flags of `upgrade` that stand before a subcommand must be flags of the subcommand, too.
void on_upgrade_chosen(CLI::App& command, Invocation& invocation, const SharedUpgradeSettings& settings,
                       UpgradeAction act);

}  // namespace fairway::cli
