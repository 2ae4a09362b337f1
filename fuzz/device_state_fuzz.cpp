// The rest of what a device reads: settings, names, steps of migrations, etcd's store, the application's
// answer.
#include "device/settings.hpp"
#include "device/step_file.hpp"

#include "device_fuzz.hpp"
#include "fuzzer.hpp"

namespace fairway::device::fuzzing {

namespace {

void check_name(std::string_view name) {
  const EntryKind kind = classify(name);
  if (kind == EntryKind::Unknown) return;
  FAIRWAY_CHECK(name.find('/') == std::string_view::npos && name != "..", "a name of ours leaves its folder");
  FAIRWAY_CHECK(kind != EntryKind::Backup || is_deployment_name(name), "a backup's name is a deployment's");
}

}  // namespace

FAIRWAY_FUZZER(device_state, text) {
  check_name(text);
  static_cast<void>(Settings::parse(text));
  static_cast<void>(AppVersion::find_in(text));
  static_cast<void>(check_etcd({.newest = {3, 6, 0}}, text));
  const auto file = parse_step_file(text);
  const auto* step = file ? std::get_if<RewriteStep>(&*file) : nullptr;
  if (step != nullptr)
    FAIRWAY_CHECK(!step->folder.starts_with('/') && step->folder.find("..") != 0, "a step leaves the data");
}

}  // namespace fairway::device::fuzzing
