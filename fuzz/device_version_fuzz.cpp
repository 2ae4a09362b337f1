// .version, and MicroShift's own version file, from a disk that may hold anything: never a crash, never taken
// for data that says nothing about itself.
#include "device/storage_step.hpp"

#include "device_fuzz.hpp"

using namespace fairway::device;
using namespace fairway::device::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  check_round_trip<DataVersion>(text);
  Observed seen = device();
  seen.version = found<DataVersion>(text);
  const DataVersion* version = value_of(seen.version);
  check_decisions(seen, version == nullptr);
  if (version != nullptr && version->migration && version->migration->position)
    static_cast<void>(StoragePosition::parse(version->migration->position->at));
  if (const auto shipped = DataVersion::parse_shipped(text)) {
    seen.version = *shipped;
    check_decisions(seen, false);
  }
  return 0;
}
