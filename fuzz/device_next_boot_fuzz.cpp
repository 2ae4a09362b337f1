// next_boot from a disk that may hold anything: never a crash, never taken for absent.
#include "device_fuzz.hpp"

using namespace fairway::device;
using namespace fairway::device::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  check_round_trip<NextBoot>(text);
  Observed seen = device();
  seen.next_boot = found<NextBoot>(text);
  const NextBoot* next = value_of(seen.next_boot);
  FAIRWAY_CHECK(next != nullptr || problem_of(seen.next_boot) != nullptr,
                "a file that is there is not absent");
  check_decisions(seen, next == nullptr);
  if (next != nullptr && next->backup)
    FAIRWAY_CHECK(is_deployment_name(next->backup->deployment_id), "a backup leaves its folder");
  return 0;
}
