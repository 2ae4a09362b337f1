// fairway tour: what `fairway up` can do, step by step, each step checked.
#include <filesystem>
#include <fmt/format.h>
#include <ostream>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/data_directory.hpp"
#include "cli/serve.hpp"
#include "cli/tour_steps.hpp"
#include "cli/usage_error.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kTourDescription =
    "Walk through what 'fairway up' runs, step by step; each step is checked\n"
    "\n"
    "Needs 'fairway up' in another terminal, with three members at least, and kubectl. Shows every command "
    "before it "
    "is\n"
    "run. What was done stays done: after an interruption the tour goes on where it stood.";

constexpr const char* kTourExamples =
    "# In one terminal\n"
    "fairway up --data ./demo\n"
    "\n"
    "# In another\n"
    "fairway tour --data ./demo\n"
    "\n"
    "# Without questions\n"
    "fairway tour --yes";

struct TourSettings {
  std::string data;
  bool yes = false;
  std::string only;
};

Result<TourPlace> find_place(const TourSettings& settings) {
  namespace fs = std::filesystem;
  std::error_code error;
  TourPlace place{.data =
                      settings.data.empty() ? default_data_directory(process_environment()) : settings.data};
  place.data = fs::absolute(place.data, error).lexically_normal().string();
  place.kubeconfig = kubeconfig_file(place.data);
  if (!fs::exists(place.kubeconfig, error))
    return fail(ErrorCode::NotFound,
                fmt::format("there is no {}: start 'fairway up --data {}' in another terminal",
                            quoted(place.kubeconfig), place.data));
  place.program = fs::read_symlink("/proc/self/exe", error).string();
  if (error) return fail(ErrorCode::Unavailable, "cannot tell where this program is: /proc is not there");
  return place;
}

Result<void> run(const TourSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(TourPlace place, find_place(settings));
  TourGuide guide(std::move(place), invocation.out, !settings.yes && ::isatty(STDIN_FILENO) == 1);
  const auto steps = tour_steps();
  std::size_t number = 0;
  for (const TourStep& step : steps) {
    ++number;
    if (!settings.only.empty() && settings.only != step.name) continue;
    guide.say(fmt::format("\n{}/{}  {}\n\n{}", number, steps.size(), step.title, step.text));
    FAIRWAY_TRY(const bool is_taken, step.is_taken(guide));
    if (is_taken) {
      guide.say("\n  ✓ done before");
      continue;
    }
    if (auto taken = step.take(guide); !taken)
      return std::unexpected(
          std::move(taken).error().within(fmt::format("step {} of the tour ({})", number, step.name)));
    if (number < steps.size()) guide.pause();
  }
  guide.say("\nThat was the tour. The console shows it all; docs/ has a page for each task.");
  return {};
}

}  // namespace

void add_tour(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("tour", kTourDescription);
  command.group(kRunCommands);
  command.footer(kTourExamples);
  auto settings = std::make_shared<TourSettings>();
  add_data_option(command, settings->data, "Where 'fairway up' keeps its data");
  command.add_flag("-y,--yes", settings->yes, "Do not wait between the steps");
  std::vector<std::string> names;
  for (const TourStep& each : tour_steps()) names.push_back(each.name);
  choice(*command.add_option("--only", settings->only, "Take this step alone"), names);
  on_chosen(command, invocation, std::move(settings), run);
}

}  // namespace fairway::cli
