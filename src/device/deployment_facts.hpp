// DeploymentFacts: which systems the device can boot, as values, and the texts that say so.
//
// An ostree system says it by its boot entries (`version N`, `ostree=/ostree/boot.V/OS/CHECKSUM/N`), the
// links these name, and the kernel's command line; no daemon is asked. Where these cannot be read, `ostree
// admin status` and rpm-ostree's JSON say the same. The order is the boot loader's: the first is the next
// default, the rollback is the first after the booted one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "device/manifest.hpp"

namespace fairway::device {

struct Deployment {
  std::string id = {};
  bool is_booted = false;
  bool is_staged = false;
  bool is_pinned = false;
  std::optional<DirectoryIdentity> directory = {};
  bool has_application = false;  // the guarded application's program is in it
  bool has_pre_run = false;      // and so is what runs us

  bool operator==(const Deployment&) const = default;
};

struct Deployments {
  std::optional<std::string> current = {};
  std::vector<Deployment> all = {};
  std::optional<std::string> problem = {};  // why `all` is not to be relied on

  const Deployment* find(std::string_view id) const;
  // Null when there is none, or when the list could not be read.
  const Deployment* rollback() const;
};

struct BootEntry {
  std::int64_t version = 0;
  std::string link = {};  // ostree/boot.1/rhel/…/0, without the leading slash
};

// Nothing for an entry that is no ostree system's.
Result<std::optional<BootEntry>> parse_boot_entry(std::string_view text);
// The value of ostree= on a kernel command line, without the leading slash.
std::optional<std::string> ostree_argument(std::string_view command_line);

struct DeploymentPath {
  std::string os = {};
  std::string directory = {};  // <checksum>.<serial>

  std::string id() const { return os + "-" + directory; }
  std::string path() const { return "ostree/deploy/" + os + "/deploy/" + directory; }
};
// ../../../deploy/rhel/deploy/8497….0
std::optional<DeploymentPath> parse_deployment_link(std::string_view target);
// rhel-8497….0
std::optional<DeploymentPath> parse_deployment_id(std::string_view id);
// The key pinned of the group [libostree-transient] of an .origin file.
bool is_pinned_origin(std::string_view text);

Result<std::vector<Deployment>> parse_rpm_ostree_status(std::string_view text);
// The text of `ostree admin status`.
Result<std::vector<Deployment>> parse_ostree_status(std::string_view text);

// A variable of a grubenv file; nothing where it is not set or the text is no grubenv.
std::optional<std::string> grub_variable(std::string_view grubenv, std::string_view name);

}  // namespace fairway::device
