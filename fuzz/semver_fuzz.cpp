// Versions and ranges: text round trips, and the order is one.
#include <string_view>

#include "base/semver.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(semver, text) {
  using namespace fairway;
  const auto version = SemVer::parse(text);
  if (version) {
    FAIRWAY_CHECK(version->to_string() == text, "a version changed on its way through text");
    FAIRWAY_CHECK((*version <=> *version) == 0, "a version is not equal to itself");
  }
  if (const auto range = SemVerRange::parse(text)) {
    (void)range->contains(*SemVer::parse("4.10.3"));
    if (version)
      FAIRWAY_CHECK(range->contains(*version), "a version is not inside the range that is that version");
  }
}
