// A device's small files from a disk that may hold anything: never a crash, what reads writes back as it was,
// and an empty or damaged file is never taken for one that says nothing.
#include <cstdint>
#include <string_view>

#include "device/data_version.hpp"
#include "device/deployment_facts.hpp"
#include "device/journal.hpp"
#include "device/manifest.hpp"
#include "device/names.hpp"
#include "device/next_boot.hpp"
#include "device/settings.hpp"
#include "device/version_rules.hpp"

namespace {

using namespace fairway::device;

template <class T>
void check_round_trip(std::string_view text) {
  const auto value = T::parse(text);
  if (!value) return;
  const auto again = T::parse(value->serialize());
  FAIRWAY_CHECK(again && *again == *value, "a record changed on its way through its file");
}

void check_names(std::string_view name) {
  const EntryKind kind = classify(name);
  if (kind == EntryKind::Unknown) return;
  FAIRWAY_CHECK(name.find('/') == std::string_view::npos && name != "..", "a name of ours leaves its folder");
  FAIRWAY_CHECK(kind != EntryKind::Backup || is_deployment_name(name), "a backup's name is a deployment's");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_round_trip<NextBoot>(text);
  check_round_trip<DataVersion>(text);
  check_round_trip<Manifest>(text);
  check_round_trip<Journal>(text);
  check_names(text);
  static_cast<void>(DataVersion::parse_shipped(text));
  static_cast<void>(BlockedUpgrades::parse(text));
  static_cast<void>(Settings::parse(text));
  static_cast<void>(parse_rpm_ostree_status(text));
  static_cast<void>(is_pinned_origin(text));
  static_cast<void>(grub_variable(text, "boot_counter"));
  static_cast<void>(AppVersion::find_in(text));
  if (const auto entry = parse_boot_entry(text); entry && *entry)
    FAIRWAY_CHECK(
        (*entry)->link.find("..") == std::string::npos || (*entry)->link.find("/../") == std::string::npos,
        "a boot entry's link leaves the tree");
  if (const auto path = parse_deployment_link(text))
    FAIRWAY_CHECK(is_ostree_id(path->id()), "a link names an id");
  return 0;
}
