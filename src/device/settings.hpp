// Settings: what is guarded, where its backups are, and which rules hold. MicroShift's are the defaults.
//
// Read from one YAML file, every key optional; an unknown key is an error that names the nearest. Paths are
// absolute and mean the device's own tree: --root is put in front of them by who opens them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/app_version.hpp"

namespace fairway::device {

struct Settings {
  std::string name = "MicroShift";  // in messages
  std::string data = "/var/lib/microshift";
  std::string backups = "/var/lib/microshift.bak";
  std::vector<std::string> services = {"microshift.service", "microshift-etcd.scope"};

  // The application's version: said here, in a file, or by a program; the first that is set.
  std::optional<AppVersion> version = {};
  std::string version_file = {};
  std::vector<std::string> version_command = {"/usr/bin/microshift", "version"};
  AppVersion assumed_version = {4, 13, 0};  // of data that says nothing about itself

  std::uint32_t max_skew = 1;
  std::map<std::uint32_t, std::uint32_t> last_minor = {{4, 22}};
  std::string blocked_upgrades = "/usr/share/microshift/release/upgrade-blocks.json";
  std::string migrations = "/usr/lib/fairway/device/migrate.d";

  // Deployments of a system without ostree: folders, and the link that says which one runs.
  std::string deployment_folder = {};
  std::string current_deployment = {};

  // Paths inside a deployment: the application, and what runs us before it.
  std::string application = "usr/bin/microshift";
  std::string pre_run_unit = "usr/lib/systemd/system/microshift-pre-run.service";

  std::vector<std::string> expected_entries = {};  // a manual backup without a manifest must have these
  // A red boot restores at once when the system to go back to has the application and not us.
  bool legacy_rollback_restore = false;
  bool digest = false;  // record a digest with every backup
  Duration lock_wait = std::chrono::seconds(60);

  static Result<Settings> parse(std::string_view yaml);
  // /var/lib/microshift gives /var/lib and microshift.
  std::string data_parent() const;
  std::string data_name() const;
};

}  // namespace fairway::device
