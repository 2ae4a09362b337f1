// What the fuzzers of a device's files share: a device with one healthy system, and the checks that a file
// which cannot be read is Corrupt, and that Corrupt stops everything.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/decide.hpp"
#include "device/observed.hpp"

namespace fairway::device::fuzzing {

inline const std::string kCurrent = "rhel-" + std::string(64, 'c') + ".0";
inline const std::string kBoot(32, 'd');

// As observe() reads it.
template <class T>
Found<T> found(std::string_view text) {
  auto value = T::parse(text);
  if (!value) return Corrupt{value.error().describe()};
  return *std::move(value);
}

// What reads writes back as it was.
template <class T>
void check_round_trip(std::string_view text) {
  const auto value = T::parse(text);
  if (!value) return;
  const auto again = T::parse(value->serialize());
  FAIRWAY_CHECK(again && *again == *value, "a record changed on its way through its file");
}

inline Observed healthy_device() {
  Observed seen{.boot_id = std::string(32, 'e'), .has_deployments = true, .binary = AppVersion{4, 15, 0}};
  seen.deployments.current = kCurrent;
  seen.deployments.all.push_back({.id = kCurrent, .is_booted = true});
  seen.has_data = true;
  seen.version = DataVersion{.version = {4, 14, 0},
                             .opened_by = {{4, 14, 0}, kCurrent, kBoot},
                             .status = Health::Healthy,
                             .healthy_version = AppVersion{4, 14, 0},
                             .seq = 3};
  return seen;
}

inline void check_refuses(const Plan& plan) {
  FAIRWAY_CHECK(plan.refusal_row == "G3" && plan.steps.empty(),
                "a file that cannot be read was taken for none");
}

// Every decision is made of what was read; none of them may crash, and what is corrupt stops all of them.
inline void check_decisions(const Observed& seen, bool is_corrupt) {
  for (const Plan& plan : {decide_pre_run(seen), decide_green(seen), decide_red(seen)}) {
    if (is_corrupt) check_refuses(plan);
    static_cast<void>(to_text(plan));
  }
}

}  // namespace fairway::device::fuzzing
