// fairway completion: the scripts that make a shell ask this program what could come next.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"

namespace fairway::cli {

// The files of src/cli/completion, compiled in: name and text.
std::span<const std::pair<std::string_view, std::string_view>> completion_scripts();

namespace {

struct CompletionSettings {
  std::string shell;
};

Result<void> print_script(const CompletionSettings& settings, Invocation& invocation) {
  const auto scripts = completion_scripts();
  const auto script = std::ranges::find(scripts, "fairway." + settings.shell,
                                        [](const auto& file) { return std::string(file.first); });
  FAIRWAY_CHECK(script != scripts.end(), "a shell without its completion script");
  invocation.out << script->second;
  return {};
}

constexpr const char* kCompletionDescription =
    "Output shell completion code for the specified shell (bash, zsh or fish)\n"
    "\n"
    "The code must be evaluated by the shell, for example from its start file. For kubectl fairway,\n"
    "kubectl's own completion asks the program kubectl_complete-fairway, which ./dev install puts beside it.";

constexpr const char* kCompletionExamples =
    "# bash: in this shell; in every new one with the line in ~/.bashrc\n"
    "source <(fairway completion bash)\n"
    "\n"
    "# zsh: in every new shell\n"
    "fairway completion zsh > \"${fpath[1]}/_fairway\"\n"
    "\n"
    "# fish\n"
    "fairway completion fish > ~/.config/fish/completions/fairway.fish";

}  // namespace

void add_completion(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("completion", kCompletionDescription);
  command.group(kOtherCommands);
  command.footer(kCompletionExamples);
  auto settings = std::make_shared<CompletionSettings>();
  choice(*command.add_option("SHELL", settings->shell, "The shell to write for")->required(),
         {"bash", "zsh", "fish"});
  on_chosen(command, invocation, std::move(settings), print_script);
}

}  // namespace fairway::cli
