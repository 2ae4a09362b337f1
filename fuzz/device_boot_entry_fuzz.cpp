// What names a device's systems: boot entries, the kernel's command line, links, ostree's and rpm-ostree's
// answers, grubenv. Never a crash, never a path outside of the tree.
#include "base/text.hpp"

#include "device_fuzz.hpp"
#include "fuzzer.hpp"

namespace fairway::device::fuzzing {

namespace {

void check_inside(std::string_view link) {
  FAIRWAY_CHECK(!link.starts_with('/'), "a link begins at the root of the tree");
  for (const std::string_view part : split(link, '/'))
    FAIRWAY_CHECK(part != ".." && !part.empty(), "a link leaves it");
}

void check_ids(const Result<std::vector<Deployment>>& found) {
  if (!found) return;
  for (const Deployment& each : *found) FAIRWAY_CHECK(is_ostree_id(each.id), "a deployment has no id");
}

}  // namespace

FAIRWAY_FUZZER(device_boot_entry, text) {
  if (const auto entry = parse_boot_entry(text); entry && *entry) check_inside((*entry)->link);
  if (const auto link = ostree_argument(text)) check_inside(*link);
  if (const auto path = parse_deployment_link(text)) {
    FAIRWAY_CHECK(is_ostree_id(path->id()), "a link names an id");
    check_inside(path->path());
  }
  check_ids(parse_rpm_ostree_status(text));
  check_ids(parse_ostree_status(text));
  static_cast<void>(is_pinned_origin(text));
  static_cast<void>(grub_variable(text, "boot_counter"));
}

}  // namespace fairway::device::fuzzing
