// fairway device: guards a device's data around updates of its system.
#include "device/device.hpp"

#include <fmt/format.h>
#include <ostream>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/device_place.hpp"
#include "cli/device_servers.hpp"
#include "cli/options.hpp"
#include "device/history.hpp"
#include "device/report.hpp"

namespace fairway::cli {
namespace {

using device::Device;

constexpr const char* kDeviceDescription =
    "Guard a device's data around updates of its system\n"
    "\n"
    "Before the application starts, its data is backed up, restored or set aside, so that it always fits the "
    "software\n"
    "that was booted. Units and scripts of deploy/device call these commands at each boot.";

constexpr const char* kPreRunDescription =
    "Prepare the data for the software that was booted; before the application starts\n"
    "\n"
    "Exit code 0: the application may start. 1: it must not; the reason is on stderr and in "
    "prerun_failed.log.";

constexpr const char* kRestoreDescription =
    "Replace the data with a backup, by hand\n"
    "\n"
    "BACKUP is the name of a backup ('fairway device list') or a path. Refuses while the application runs. "
    "The data as\n"
    "it is gets kept as a backup first, unless there is one of it already.";

struct DeviceSettings {
  std::string root;
  std::string config;
  std::string output;
  bool dry_run = false;
  std::string argument;
  std::string deployment;
  std::string data_version;
  bool without_manifest = false;
  bool discard_data = false;
  bool motd = false;
  std::string motd_file;
  bool auto_recovery = false;
  bool dont_save_failed = false;
  std::size_t limit = 50;
};

// Progress of a long copy in one line, where a person watches.
class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& err) : err_(err), is_watched_(::isatty(STDERR_FILENO) == 1) {}
  void show(const device::CopyReport& report) {
    if (!is_watched_ || report.files % 512 != 0) return;
    err_ << fmt::format("\r{} files, {} MiB\033[K", report.files, report.bytes >> 20) << std::flush;
    is_shown_ = true;
  }
  void end() {
    if (is_shown_) err_ << "\r\033[K" << std::flush;
    is_shown_ = false;
  }

 private:
  std::ostream& err_;
  bool is_watched_;
  bool is_shown_ = false;
};

struct Session {
  SystemClock clock;
  ProgressLine progress;
  std::optional<Device> device;

  Session(const DeviceSettings& settings, Invocation& invocation) : progress(invocation.err) {
    const bool is_text = settings.output.empty();
    listener = {
        .on_note =
            [this, &invocation, is_text](const device::Note& note) {
              progress.end();
              auto& stream = note.is_warning || !is_text ? invocation.err : invocation.out;
              stream << fmt::format("{:<4} {}{}\n", note.row, note.is_warning ? "warning: " : "", note.text);
            },
        .on_step =
            [this, &invocation, is_text](const device::Step& step) {
              progress.end();
              if (is_text)
                invocation.out << fmt::format("{:<4} {}\n", step.row, describe(step.action)) << std::flush;
            },
        .on_progress = [this](const device::CopyReport& report) { progress.show(report); }};
  }
  ~Session() { progress.end(); }
  Session(const Session&) = delete;

  device::Listener listener;
};

Result<std::unique_ptr<Session>> open(const DeviceSettings& settings, Invocation& invocation) {
  auto session = std::make_unique<Session>(settings, invocation);
  FAIRWAY_TRY(device::Place place, device_place(settings.root, settings.config));
  session->device.emplace(std::move(place), session->clock, session->listener, storage_migrator());
  return session;
}

void print_json(Invocation& invocation, const json::Value& value) {
  invocation.out << json::serialize_pretty(value) << '\n';
}

Result<void> finish(const DeviceSettings& settings, Invocation& invocation,
                    const Result<device::Plan>& plan) {
  if (!plan) return std::unexpected(plan.error());
  if (!settings.output.empty()) {
    print_json(invocation, to_json(*plan));
  } else if (settings.dry_run) {
    invocation.out << to_text(*plan);
  }
  return {};
}

device::Mode mode_of(const DeviceSettings& settings) {
  return settings.dry_run ? device::Mode::DryRun : device::Mode::Act;
}

template <Result<device::Plan> (Device::*verb)(device::Mode)>
Result<void> run_verb(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  return finish(settings, invocation, ((*session->device).*verb)(mode_of(settings)));
}

Result<void> run_request(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  const auto deployment = settings.deployment.empty() ? std::nullopt : std::optional(settings.deployment);
  return finish(settings, invocation, session->device->request_restore(deployment, mode_of(settings)));
}

// Green and red, and what whoever logs in should know afterwards.
template <Result<device::Plan> (Device::*verb)(device::Mode)>
Result<void> run_health(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  const auto done = finish(settings, invocation, ((*session->device).*verb)(mode_of(settings)));
  if (!settings.motd_file.empty() && !settings.dry_run) {
    FAIRWAY_TRY(const device::Status status, device_status(*session->device));
    FAIRWAY_CHECKED(
        device::replace_file(settings.motd_file, settings.motd_file + ".tmp", motd(status), 0644));
  }
  return done;
}

Result<void> run_status(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  FAIRWAY_TRY(const device::Status status, device_status(*session->device));
  if (!settings.output.empty()) {
    print_json(invocation, to_json(status));
  } else {
    invocation.out << (settings.motd ? motd(status) : to_text(status));
  }
  return {};
}

Result<void> run_list(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  FAIRWAY_TRY(const device::Observed seen, session->device->look());
  if (settings.output.empty()) {
    invocation.out << backups_text(seen);
    return {};
  }
  json::Array backups;
  for (const device::Backup& backup : seen.backups) backups.push_back(backup_json(seen, backup));
  print_json(invocation, backups);
  return {};
}

Result<void> run_backup(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  FAIRWAY_TRY(const std::string path, settings.auto_recovery
                                          ? session->device->back_up_for_recovery(settings.argument)
                                          : session->device->back_up(settings.argument));
  invocation.out << path << '\n';
  return {};
}

Result<void> run_restore(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  if (settings.auto_recovery) {
    FAIRWAY_TRY(const std::string path,
                session->device->restore_for_recovery(settings.argument, !settings.dont_save_failed));
    invocation.out << path << '\n';
    return {};
  }
  FAIRWAY_CHECKED(session->device->restore({.from = settings.argument,
                                            .without_manifest = settings.without_manifest,
                                            .discards_data = settings.discard_data}));
  invocation.out << settings.argument << '\n';
  return {};
}

Result<void> run_verify(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  FAIRWAY_TRY(const auto all, session->device->verify(settings.argument));
  json::Array list;
  for (const device::Verification& each : all) {
    if (!each.is_good) invocation.verdict = 1;
    list.push_back(json::Object{{"name", each.name}, {"good", each.is_good}, {"text", each.text}});
    if (settings.output.empty())
      invocation.out << fmt::format("{}: {}: {}\n", each.name, each.is_good ? "good" : "BAD", each.text);
  }
  if (!settings.output.empty()) print_json(invocation, list);
  return {};
}

Result<void> run_repair(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  std::optional<device::AppVersion> version;
  if (!settings.data_version.empty()) {
    FAIRWAY_TRY(version, device::AppVersion::parse(settings.data_version));
  }
  FAIRWAY_TRY(const auto done, session->device->repair(version));
  if (done.empty()) invocation.out << "nothing to repair\n";
  for (const std::string& each : done) invocation.out << each << '\n';
  return {};
}

Result<void> run_history(const DeviceSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, open(settings, invocation));
  FAIRWAY_TRY(const auto entries, device::read_history(session->device->place().backups(), settings.limit));
  if (settings.output.empty()) {
    invocation.out << device::history_text(entries);
    return {};
  }
  json::Array list;
  for (const json::Object& entry : entries) list.push_back(entry);
  print_json(invocation, list);
  return {};
}

// Makes one verb with the options that all of them take.
CLI::App& add_verb(CLI::App& device, Invocation& invocation, const char* name, const char* description,
                   const std::shared_ptr<DeviceSettings>& settings,
                   Result<void> (*act)(const DeviceSettings&, Invocation&)) {
  CLI::App& verb = *device.add_subcommand(name, description);
  verb.group(kSubcommands);
  verb.add_option("--root", settings->root, "The device's files below this folder instead of /")
      ->type_name("DIR");
  verb.add_option("--config", settings->config,
                  "Settings (default /etc/fairway/device.yaml, then /usr/lib/fairway/device.yaml)")
      ->type_name("FILE");
  choice(*verb.add_option("-o,--output", settings->output, "For programs instead of people"), {"json"});
  on_chosen(verb, invocation, settings, act);
  return verb;
}

void add_dry_run(CLI::App& verb, DeviceSettings& settings) {
  verb.add_flag("--dry-run", settings.dry_run, "Say what would be done, and write nothing");
}

void add_health_verb(CLI::App& device, Invocation& invocation, const char* name, const char* description,
                     Result<void> (*act)(const DeviceSettings&, Invocation&)) {
  auto settings = std::make_shared<DeviceSettings>();
  CLI::App& verb = add_verb(device, invocation, name, description, settings, act);
  add_dry_run(verb, *settings);
  verb.add_option("--motd", settings->motd_file, "Write there what concerns whoever logs in")
      ->type_name("FILE");
}

void add_boot_verbs(CLI::App& device, Invocation& invocation) {
  auto pre_run = std::make_shared<DeviceSettings>();
  CLI::App& first =
      add_verb(device, invocation, "pre-run", kPreRunDescription, pre_run, run_verb<&Device::pre_run>);
  first.footer("fairway device pre-run --dry-run");
  add_dry_run(first, *pre_run);
  add_health_verb(device, invocation, "green", "Say that this boot is healthy: the next one backs up",
                  run_health<&Device::green>);
  add_health_verb(device, invocation, "red", "Say that this boot is not healthy: the next one restores",
                  run_health<&Device::red>);
  auto request = std::make_shared<DeviceSettings>();
  CLI::App& wish = add_verb(device, invocation, "request-restore",
                            "Ask the next boot to restore, before a rollback by hand", request, run_request);
  wish.footer("fairway device request-restore && rpm-ostree rollback --reboot");
  wish.add_option("--deployment", request->deployment, "Restore the backup of this deployment and no other")
      ->type_name("ID");
  add_dry_run(wish, *request);
}

void add_manual_verbs(CLI::App& device, Invocation& invocation) {
  auto backup = std::make_shared<DeviceSettings>();
  CLI::App& copy = add_verb(device, invocation, "backup",
                            "Copy the data, by hand; refuses while the application runs", backup, run_backup);
  copy.footer("fairway device backup /var/lib/microshift.bak/before-the-visit");
  copy.add_option("PATH", backup->argument, "Where to; must not exist")->required()->type_name("PATH");
  copy.add_flag("--auto-recovery", backup->auto_recovery,
                "PATH is a folder of backups; the new one is named by the time");
  auto restore = std::make_shared<DeviceSettings>();
  CLI::App& back = add_verb(device, invocation, "restore", kRestoreDescription, restore, run_restore);
  back.footer("fairway device restore /var/lib/microshift.bak/before-the-visit");
  back.add_option("BACKUP", restore->argument, "A backup's name or path")->required()->type_name("BACKUP");
  back.add_flag("--without-manifest", restore->without_manifest, "Also a directory that has no manifest");
  back.add_flag("--discard-data", restore->discard_data, "Keep no copy of the data as it is");
  CLI::Option* recovery = back.add_flag(
      "--auto-recovery", restore->auto_recovery,
      "BACKUP is a folder of backups; the newest of this system that was not tried yet is taken");
  back.add_flag("--dont-save-failed", restore->dont_save_failed,
                "With --auto-recovery: keep no copy of the data")
      ->needs(recovery);
  auto verify = std::make_shared<DeviceSettings>();
  add_verb(device, invocation, "verify",
           "Check backups against their manifests; exit code 1 when one is damaged", verify, run_verify)
      .add_option("NAME", verify->argument, "Only this one")
      ->type_name("NAME");
  auto prune = std::make_shared<DeviceSettings>();
  add_dry_run(add_verb(device, invocation, "prune", "Remove backups whose deployment is gone", prune,
                       run_verb<&Device::prune>),
              *prune);
  auto repair = std::make_shared<DeviceSettings>();
  add_verb(device, invocation, "repair", "Put files that cannot be read out of the way", repair, run_repair)
      .add_option("--data-version", repair->data_version,
                  "What wrote the data, when its .version is unreadable")
      ->type_name("X.Y.Z");
}

void add_reports(CLI::App& device, Invocation& invocation) {
  auto status = std::make_shared<DeviceSettings>();
  add_verb(device, invocation, "status", "Show the data, the next boot's work and what went wrong", status,
           run_status)
      .add_flag("--motd", status->motd, "Only what concerns whoever logs in: a rollback, a failure");
  auto list = std::make_shared<DeviceSettings>();
  add_verb(device, invocation, "list", "List the backups", list, run_list);
  auto history = std::make_shared<DeviceSettings>();
  CLI::App& past = add_verb(device, invocation, "history", "Show what was decided and done, oldest first",
                            history, run_history);
  number_option(past, "--limit", history->limit, {1, 100'000}, "At most so many of the newest");
}

}  // namespace

void add_device(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("device", kDeviceDescription);
  command.group(kDeviceCommands);
  command.require_subcommand(1);
  add_boot_verbs(command, invocation);
  add_reports(command, invocation);
  add_device_report(command, invocation);
  add_manual_verbs(command, invocation);
  add_device_simulate(command, invocation);
}

}  // namespace fairway::cli
