// Manifests, and the journal that carries one, from a disk that may hold anything: never a crash, and a copy
// whose manifest cannot be read is not a backup.
#include "device_fuzz.hpp"
#include "fuzzer.hpp"

namespace fairway::device::fuzzing {

FAIRWAY_FUZZER(device_manifest, text) {
  check_round_trip<Manifest>(text);
  check_round_trip<Journal>(text);
  Observed seen = healthy_device();
  Backup backup{.name = kCurrent, .has_directory = true, .manifest = found<Manifest>(text)};
  backup.version = seen.version;
  seen.backups.push_back(backup);
  seen.latest = kCurrent;
  const Manifest* manifest = value_of(backup.manifest);
  FAIRWAY_CHECK(manifest != nullptr || !backup.is_complete(), "a copy without a manifest is no backup");
  const Backup* chosen = restore_candidate(seen, {}, kCurrent);
  FAIRWAY_CHECK(chosen == nullptr || (manifest != nullptr && manifest->deployment_id == kCurrent),
                "another copy's manifest makes no backup");
  check_decisions(seen, false);
  seen.backups.clear();
  seen.journal = found<Journal>(text);
  const bool is_corrupt = problem_of(seen.journal) != nullptr;
  const Plan plan = decide_pre_run(seen);
  if (is_corrupt) check_refuses(plan);
}

}  // namespace fairway::device::fuzzing
