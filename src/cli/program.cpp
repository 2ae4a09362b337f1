#include "cli/program.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>  // these two for their inline key functions, which one file has to have
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/complete.hpp"
#include "cli/help.hpp"
#include "cli/log_sink.hpp"
#include "cli/tree.hpp"
#include "cli/usage_error.hpp"

namespace fairway::cli {
namespace {

constexpr std::string_view kSummary =
    "fairway brings updates to Kubernetes clusters and devices safely.\n"
    "It decides which updates are safe for whom, says why, and carries them out step by step.";

// The word that completion scripts call; not a command of the tree, because what follows it is unfinished.
constexpr std::string_view kCompleteWord = "__complete";

void build_tree(CLI::App& root, Invocation& invocation, LogSettings& logs) {
  root.name("fairway");
  root.description(std::string(kSummary));
  root.set_help_flag("-h,--help", "Help about this command");
  root.option_defaults()->take_last();
  root.fallthrough();  // global options are accepted after a command, too; commands inherit this
  root.require_subcommand(0, 1);
  add_log_options(root, logs);
  add_up(root, invocation);
  add_tour(root, invocation);
  add_agent(root, invocation);
  add_apiserver(root, invocation);
  add_cloud(root, invocation);
  add_console(root, invocation);
  add_completion(root, invocation);
  add_controllers(root, invocation);
  add_device(root, invocation);
  add_graph(root, invocation);
  add_help(root, invocation);
  add_ingress(root, invocation);
  add_rollout(root, invocation);
  add_options(root, invocation);
  add_promql(root, invocation);
  add_update_service(root, invocation);
  add_upgrade(root, invocation);
  add_version(root, invocation);
}

ExitCode complain(std::ostream& err, const UsageError& error, std::string_view command) {
  err << fmt::format("error: {}\n", error.message);
  if (error.suggestion) err << fmt::format("\nDid you mean this?\n\t{}\n", *error.suggestion);
  err << fmt::format("\nSee '{} --help' for usage.\n", command);
  return ExitCode::WrongUsage;
}

ExitCode finish(const Result<void>& result, Invocation& invocation) {
  invocation.out.flush();
  if (!result) {
    invocation.err << fmt::format("error: {}\n", result.error().describe());
    return result.error().code == ErrorCode::Cancelled ? ExitCode::Interrupted : ExitCode::Failed;
  }
  if (!invocation.out) {
    invocation.err << "error: standard output could not be written\n";
    return ExitCode::Failed;
  }
  return static_cast<ExitCode>(invocation.verdict);
}

// CLI11 would take the next word for the missing value: `--data= --listen …` must not write into "--listen".
std::optional<UsageError> find_empty_value(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word.starts_with("--") && word.ends_with('=')) {
      return UsageError{fmt::format("flag {} was given an empty value", word.substr(0, word.size() - 1)), {}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string program_name(std::string_view called_as) {
  const std::string_view base = called_as.substr(called_as.rfind('/') + 1);
  return base.starts_with("kubectl-fairway") ? "kubectl fairway" : "fairway";
}

ExitCode run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  const std::string called_as = arguments.empty() ? "fairway" : arguments.front();
  const auto words = arguments.subspan(std::min<std::size_t>(1, arguments.size()));
  Invocation invocation{.program = program_name(called_as), .out = out, .err = err};
  LogSettings logs;
  CLI::App root;
  build_tree(root, invocation, logs);

  if (!words.empty() && words.front() == kCompleteWord) {
    out << complete(root, words.subspan(1)).to_text();
    return finish({}, invocation);
  }
  if (const auto error = find_empty_value(words)) return complain(err, *error, invocation.program);
  try {
    root.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::CallForHelp&) {
    out << help_text(chosen_command(root), invocation.program);
    return finish({}, invocation);
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = chosen_command(root);
    return complain(err, explain(error, root, invocation.program), command_line(command, invocation.program));
  }
  if (!invocation.action) {
    out << help_text(chosen_command(root), invocation.program);
    return finish({}, invocation);
  }
  log::set_sink(make_log_sink(logs), logs.level);
  const auto result = invocation.action();
  log::set_sink({});
  return finish(result, invocation);
}

}  // namespace fairway::cli
