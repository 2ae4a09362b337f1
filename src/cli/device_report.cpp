// fairway device report: tells a hub how a device is.
#include <fmt/format.h>
#include <ostream>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "cli/cluster_options.hpp"
#include "cli/command.hpp"
#include "cli/device_place.hpp"
#include "cli/device_reporting.hpp"
#include "cli/options.hpp"
#include "device/fleet_report.hpp"
#include "device/history.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kDeviceReportDescription =
    "Tell a hub how this device is: as the status of a Device object\n"
    "\n"
    "What runs, what the next boot does with the data, the backups and what happened lately. The object is "
    "made when "
    "it\n"
    "is not there. A unit of deploy/device runs this after each boot; nothing of the device depends on it.";

struct ReportSettings {
  std::string root;
  std::string config;
  std::string name;
  ClusterSettings cluster;
};

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "device";
  return name;
}

Task<void> put(kube::Client& client, std::string name, json::Object status) {
  json::Object object{{"apiVersion", kDevices.kind.api_version()}, {"kind", kDevices.kind.kind}};
  object["metadata"] = json::Object{{"name", name}};
  const auto made = co_await client.create(kDevices.in(""), std::move(object));
  if (!made && made.error().code != ErrorCode::AlreadyExists) co_return std::unexpected(made.error());
  json::Object patch;
  patch["status"] = std::move(status);
  FAIRWAY_CO_CHECKED(
      co_await client.patch(kDevices.in("", name, "status"), kube::PatchKind::Merge, std::move(patch)));
  co_return Result<void>{};
}

Result<void> run(const ReportSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(device::Place place, device_place(settings.root, settings.config));
  const std::string name = settings.name.empty() ? host_name() : settings.name;
  FAIRWAY_CHECKED(report_device(place, name, settings.cluster));
  invocation.out << fmt::format("device.device.fairway.dev/{} reported\n", name);
  return {};
}

}  // namespace

Result<void> report_device(const device::Place& place, const std::string& name, const ClusterSettings& hub) {
  const SystemClock clock;
  const device::Device device(place, clock, {});
  FAIRWAY_TRY(const device::Status status, device_status(device));
  FAIRWAY_TRY(const auto history, device::read_history(place.backups(), 1000));
  async::EventLoop loop;
  FAIRWAY_TRY(const ConnectedClient client, connect(loop, hub));
  return loop.block_on(put(*client.client, name, device::fleet_report(status, history, clock.now())));
}

void add_device_report(CLI::App& device, Invocation& invocation) {
  CLI::App& command = *device.add_subcommand("report", kDeviceReportDescription);
  command.group(kSubcommands);
  command.footer("fairway device report --kubeconfig /etc/fairway/hub.kubeconfig --name pier-7");
  auto settings = std::make_shared<ReportSettings>();
  command.add_option("--root", settings->root, "The device's files below this folder instead of /")
      ->type_name("DIR");
  command
      .add_option("--config", settings->config,
                  "Settings (default /etc/fairway/device.yaml, then /usr/lib/fairway/device.yaml)")
      ->type_name("FILE");
  command.add_option("--name", settings->name, "The name of the object")
      ->type_name("NAME")
      ->default_str("the host's name");
  add_cluster_options(command, settings->cluster);
  on_chosen(command, invocation, std::move(settings), run);
}

}  // namespace fairway::cli
