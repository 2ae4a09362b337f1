#include "cli/simulated_device.hpp"

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/device_place.hpp"
#include "device/tree_digest.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kObjects = 400;
constexpr std::uint64_t kCopiedBeforeTheCut = kObjects / 2;

constexpr const char* kSettings =
    R"(# A simulated device: systems are folders, and a link says which one was booted.
name: Harbour
data: /var/lib/harbour
backups: /var/lib/harbour.bak
services: []
version-file: /system/current/version
deployment-folder: /system/deployments
current-deployment: /system/current
application: usr/bin/harbour
)";
constexpr const char* kMarker = "simulated-device";

std::string deployment_of(std::string_view version) {
  return fmt::format("harbour-{}", version);
}

Result<void> write(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return fail(ErrorCode::Unavailable, fmt::format("cannot write {}", quoted(path.string())));
  return {};
}

std::string new_boot_id() {
  std::random_device entropy;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", entropy());
  return id;
}

// Only what create() made may go.
Result<void> make_room(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error) || fs::is_empty(folder, error)) return {};
  if (!fs::exists(folder / kMarker, error))
    return fail(ErrorCode::AlreadyExists,
                fmt::format("{} has files of somebody else; name a folder that is empty or does not exist",
                            quoted(folder.string())));
  fs::remove_all(folder, error);
  if (error)
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot remove {}: {}", quoted(folder.string()), error.message()));
  return {};
}

}  // namespace

Result<SimulatedDevice> SimulatedDevice::create(const std::string& folder, const Clock& clock) {
  FAIRWAY_CHECKED(make_room(folder));
  const fs::path root(folder);
  FAIRWAY_CHECKED(write(root / kMarker, "made by fairway device simulate; removed by the next one\n"));
  FAIRWAY_CHECKED(write(root / "etc/fairway/device.yaml", kSettings));
  std::error_code error;
  fs::create_directories(root / "var/lib", error);
  FAIRWAY_TRY(device::Place place, device_place(folder, ""));
  return SimulatedDevice(std::move(place), clock);
}

Result<void> SimulatedDevice::install(std::string_view version) {
  const fs::path system = place_.root.real("/system/deployments/" + deployment_of(version));
  FAIRWAY_CHECKED(write(system / "version", fmt::format("{}\n", version)));
  FAIRWAY_CHECKED(write(system / "usr/bin/harbour", "the application is played\n"));
  choose(version);
  return {};
}

void SimulatedDevice::choose(std::string_view version) {
  chosen_ = version;
}

Result<void> SimulatedDevice::start_kernel() {
  FAIRWAY_CHECKED(write(place_.root.real("/proc/sys/kernel/random/boot_id"), new_boot_id() + "\n"));
  return device::replace_link_unsynced(place_.root.real("/system/current"),
                                       place_.root.real("/system/current.new"),
                                       "deployments/" + deployment_of(chosen_));
}

Result<device::Plan> SimulatedDevice::boot() {
  FAIRWAY_CHECKED(start_kernel());
  return device::Device(place_, *clock_, {}).pre_run(device::Mode::Act);
}

Result<void> SimulatedDevice::boot_and_cut_power() {
  FAIRWAY_CHECKED(start_kernel());
  const pid_t child = ::fork();
  if (child < 0) return fail(ErrorCode::Unavailable, "cannot start a process for the boot");
  if (child == 0) {
    const device::Listener listener{.on_progress = [](const device::CopyReport& report) {
      if (report.files >= kCopiedBeforeTheCut) ::kill(::getpid(), SIGKILL);
    }};
    const auto done = device::Device(place_, *clock_, listener).pre_run(device::Mode::Act);
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status))
    return fail(ErrorCode::Internal, "the boot ended before its power could be cut: it copied nothing");
  return {};
}

Result<void> SimulatedDevice::run_application() {
  const fs::path objects = place_.in_data("objects");
  for (int i = 0; i < kObjects; ++i) {
    FAIRWAY_CHECKED(write(objects / fmt::format("{:04}.json", i),
                          fmt::format("{{\"form\":\"{}\",\"berth\":{}}}\n", chosen_, i)));
  }
  return {};
}

Result<void> SimulatedDevice::say_green() {
  FAIRWAY_CHECKED(device::Device(place_, *clock_, {}).green(device::Mode::Act));
  return {};
}

Result<void> SimulatedDevice::say_red() {
  FAIRWAY_CHECKED(device::Device(place_, *clock_, {}).red(device::Mode::Act));
  return {};
}

Result<std::string> SimulatedDevice::fingerprint() const {
  FAIRWAY_TRY(const device::TreeDigest digest, device::digest_tree(place_.in_data("objects")));
  return digest.text;
}

}  // namespace fairway::cli
