// .version, and MicroShift's own version file, from a disk that may hold anything: never a crash, never taken
// for data that says nothing about itself.
#include "device/storage_step.hpp"

#include "device_fuzz.hpp"
#include "fuzzer.hpp"

namespace fairway::device::fuzzing {

FAIRWAY_FUZZER(device_version, text) {
  check_round_trip<DataVersion>(text);
  Observed seen = healthy_device();
  seen.version = found<DataVersion>(text);
  const DataVersion* version = value_of(seen.version);
  check_decisions(seen, version == nullptr);
  if (version != nullptr && version->migration && version->migration->position)
    static_cast<void>(StoragePosition::parse(version->migration->position->at));
  if (const auto shipped = DataVersion::parse_shipped(text)) {
    seen.version = *shipped;
    check_decisions(seen, false);
  }
}

}  // namespace fairway::device::fuzzing
