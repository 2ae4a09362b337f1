// fairway version: what this binary is and what it was built from.
#include <fmt/format.h>

#include "cli/build_facts.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace fairway::cli {
namespace {

struct VersionSettings {
  std::string output;
};

std::string version_text() {
  return fmt::format("Fairway Version: v{}\nGit Commit: {}{}\nCompiler: {}\nPlatform: {}\n", build::kVersion,
                     build::kGitCommit, build::kGitTreeState == "dirty" ? " (with local changes)" : "",
                     build::kCompiler, build::kPlatform);
}

json::Value version_value() {
  return json::Object{{"version", fmt::format("v{}", build::kVersion)},
                      {"gitCommit", build::kGitCommit},
                      {"gitTreeState", build::kGitTreeState},
                      {"compiler", build::kCompiler},
                      {"platform", build::kPlatform}};
}

Result<void> print_version(const VersionSettings& settings, Invocation& invocation) {
  print(invocation, settings.output, version_value(), version_text());
  return {};
}

}  // namespace

void add_version(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("version", "Print the version and what it was built from");
  command.group(kOtherCommands);
  command.footer("# For a script\nfairway version -o json");
  auto settings = std::make_shared<VersionSettings>();
  choice(*command.add_option("-o,--output", settings->output, "For programs instead of people"),
         {"json", "yaml"});
  on_chosen(command, invocation, std::move(settings), print_version);
}

}  // namespace fairway::cli
