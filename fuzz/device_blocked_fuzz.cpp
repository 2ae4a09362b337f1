// The list of blocked upgrades: never a crash; a list that cannot be read blocks every change of version, and
// what a list blocks is refused.
#include "device_fuzz.hpp"
#include "fuzzer.hpp"

namespace fairway::device::fuzzing {

FAIRWAY_FUZZER(device_blocked, text) {
  const auto list = BlockedUpgrades::parse(text);
  VersionRules rules{.max_skew = 2};
  if (list) rules.blocked = *list;
  if (!list) rules.blocked_problem = list.error().describe();
  const AppVersion from{4, 14, 3};
  for (const AppVersion& to : {AppVersion{4, 14, 7}, AppVersion{4, 15, 0}, AppVersion{4, 14, 3}}) {
    const VersionVerdict verdict = judge_version(rules, {from, from}, to);
    const bool is_refused = std::holds_alternative<RefuseVersion>(verdict);
    if (to == from) {
      FAIRWAY_CHECK(!is_refused, "equal versions are never blocked");
    } else {
      FAIRWAY_CHECK(is_refused == (!list || list->contains(from, to)),
                    "a block does not hold, or holds for others");
    }
  }
}

}  // namespace fairway::device::fuzzing
