// fairway up: everything that Fairway has, on this machine, in one process.
#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/serve.hpp"

namespace fairway::cli {
namespace {

constexpr std::size_t kMostMembers = 100;

struct UpSettings {
  ServeSettings serve;
  std::size_t members = 2;
};

constexpr const char* kDescription =
    "Start everything on this machine: a hub and its member clusters\n"
    "\n"
    "Data stays where --data says and is picked up at the next start. Ctrl-C stops cleanly; a second Ctrl-C\n"
    "stops at once.";

constexpr const char* kExamples =
    "# With two member clusters\n"
    "fairway up\n"
    "\n"
    "# Elsewhere, with five\n"
    "fairway up --data ./demo --listen 127.0.0.1:7443 --members 5";

// For a shell: as it is, or in single quotes.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  return "'" + replace_all(text, "'", "'\\''") + "'";
}

std::string greeting(const Serving& serving) {
  const auto clusters = serving.server.clusters();
  return fmt::format(
      "Fairway is up.\n"
      "\n"
      "  API server   {}\n"
      "  kubeconfig   {}\n"
      "  contexts     {}\n"
      "\n"
      "Try, in another terminal:\n"
      "\n"
      "  export KUBECONFIG={}\n"
      "  kubectl get namespaces\n"
      "  kubectl explain clustergroupupgrade.spec\n"
      "  kubectl --context {} get crds\n"
      "\n"
      "Ctrl-C stops it; the data stays.\n",
      serving.server.url(), serving.kubeconfig, join(clusters, ", "), shell_word(serving.kubeconfig),
      clusters.back());
}

Result<void> run_up(const UpSettings& settings, Invocation& invocation) {
  ServeSettings serving = settings.serve;
  for (std::size_t i = 1; i <= settings.members; ++i)
    serving.server.clusters.push_back(fmt::format("member{}", i));
  return serve(serving, false,
               [&](const Serving& ready) { invocation.out << greeting(ready) << std::flush; });
}

}  // namespace

void add_up(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("up", kDescription);
  command.group(kRunCommands);
  command.footer(kExamples);
  auto settings = std::make_shared<UpSettings>();
  number_option(command, "--members", settings->members, {.least = 0, .most = kMostMembers},
                "How many member clusters to have");
  add_serve_options(command, settings->serve);
  on_chosen(command, invocation, std::move(settings), run_up);
}

}  // namespace fairway::cli
