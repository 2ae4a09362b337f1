// fairway device simulate: an update whose power is cut, and the way back, in a folder.
#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/device_reporting.hpp"
#include "cli/options.hpp"
#include "cli/simulated_device.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kDeviceSimulateDescription =
    "Play a device in a folder: an update, a power cut in its middle, and the way back\n"
    "\n"
    "Systems are folders and the application is played; what happens to the data is done by the real "
    "commands, which "
    "can\n"
    "be tried on the folder afterwards. Exit code 0: the data was at every step what it had to be.";

constexpr const char* kDeviceSimulateExamples =
    "fairway device simulate ./device\n"
    "fairway device status --root ./device\n"
    "fairway device history --root ./device\n"
    "\n"
    "# A hub hears of each boot\n"
    "fairway device simulate ./device --report pier-7 --kubeconfig fairway-data/kubeconfig";

constexpr const char* kOld = "4.13.0";
constexpr const char* kNew = "4.14.0";

struct SimulateSettings {
  std::string folder;
  std::string report;
  ClusterSettings hub;
};

class Story {
 public:
  Story(const SimulateSettings& settings, Invocation& invocation, SimulatedDevice device)
      : settings_(settings), invocation_(invocation), device_(std::move(device)) {}

  Result<void> play() {
    FAIRWAY_CHECKED(first_boot());
    FAIRWAY_CHECKED(cut());
    FAIRWAY_CHECKED(power_returns());
    return come_back();
  }

 private:
  Result<void> first_boot() {
    say("a device with system {}", kOld);
    FAIRWAY_CHECKED(device_.install(kOld));
    FAIRWAY_CHECKED(boot());
    FAIRWAY_CHECKED(device_.run_application());
    FAIRWAY_TRY(before_, device_.fingerprint());
    FAIRWAY_CHECKED(device_.say_green());
    say("  its application has written data and is healthy");
    return report();
  }

  Result<void> cut() {
    say("an update to {}; the power is cut while the data is copied", kNew);
    FAIRWAY_CHECKED(device_.install(kNew));
    FAIRWAY_CHECKED(device_.boot_and_cut_power());
    FAIRWAY_CHECKED(expect_data(before_, "untouched by the cut"));
    return report();
  }

  Result<void> power_returns() {
    say("the power returns");
    FAIRWAY_CHECKED(boot());
    FAIRWAY_CHECKED(device_.run_application());
    FAIRWAY_TRY(const std::string after, device_.fingerprint());
    if (after == before_) return fail(ErrorCode::Internal, "the new system did not change its data");
    say("  the new system has written the data in its own form, and is not healthy");
    FAIRWAY_CHECKED(device_.say_red());
    return report();
  }

  Result<void> come_back() {
    say("the boot loader goes back to {}", kOld);
    device_.choose(kOld);
    FAIRWAY_CHECKED(boot());
    FAIRWAY_CHECKED(expect_data(before_, "what it was before the update"));
    FAIRWAY_CHECKED(device_.say_green());
    return report();
  }

  Result<void> boot() {
    FAIRWAY_TRY(const device::Plan plan, device_.boot());
    for (const device::Step& step : plan.steps) say("  {:<4} {}", step.row, describe(step.action));
    return {};
  }

  Result<void> expect_data(const std::string& wanted, std::string_view words) {
    FAIRWAY_TRY(const std::string found, device_.fingerprint());
    if (found != wanted)
      return fail(ErrorCode::Internal, fmt::format("the data is not {}: {}, not {}", words, found, wanted));
    say("  the data is {}", words);
    return {};
  }

  Result<void> report() {
    if (settings_.report.empty()) return {};
    return report_device(device_.place(), settings_.report, settings_.hub);
  }

  template <class... Words>
  void say(fmt::format_string<Words...> form, Words&&... words) {
    invocation_.out << fmt::format(form, std::forward<Words>(words)...) << '\n' << std::flush;
  }

  const SimulateSettings& settings_;
  Invocation& invocation_;
  SimulatedDevice device_;
  std::string before_;
};

Result<void> run(const SimulateSettings& settings, Invocation& invocation) {
  const SystemClock clock;
  FAIRWAY_TRY(SimulatedDevice device, SimulatedDevice::create(settings.folder, clock));
  return Story(settings, invocation, std::move(device)).play();
}

}  // namespace

void add_device_simulate(CLI::App& device, Invocation& invocation) {
  CLI::App& command = *device.add_subcommand("simulate", kDeviceSimulateDescription);
  command.group(kSubcommands);
  command.footer(kDeviceSimulateExamples);
  auto settings = std::make_shared<SimulateSettings>();
  command
      .add_option("DIR", settings->folder, "The device's files; a simulated device that is there begins anew")
      ->required()
      ->type_name("DIR");
  command.add_option("--report", settings->report, "Report each boot to the hub as the Device of this name")
      ->type_name("NAME");
  add_cluster_options(command, settings->hub);
  on_chosen(command, invocation, std::move(settings), run);
}

}  // namespace fairway::cli
