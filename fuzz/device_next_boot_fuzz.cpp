// next_boot from a disk that may hold anything: never a crash, never taken for absent.
#include "device_fuzz.hpp"
#include "fuzzer.hpp"

namespace fairway::device::fuzzing {

FAIRWAY_FUZZER(device_next_boot, text) {
  check_round_trip<NextBoot>(text);
  Observed seen = healthy_device();
  seen.next_boot = found<NextBoot>(text);
  const NextBoot* next = value_of(seen.next_boot);
  FAIRWAY_CHECK(next != nullptr || problem_of(seen.next_boot) != nullptr,
                "a file that is there is not absent");
  check_decisions(seen, next == nullptr);
  if (next != nullptr && next->backup)
    FAIRWAY_CHECK(is_deployment_name(next->backup->deployment_id), "a backup leaves its folder");
}

}  // namespace fairway::device::fuzzing
