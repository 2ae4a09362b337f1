// DataVersion: DATA/.version, what the data says of itself: its schema level, who opened it last, whether
// that was healthy, and a migration that has begun.
//
// `version` changes at the first start and after a completed migration only. Also reads the bare text of the
// first design (`4.14.0`, written by a healthy system) and, as parse_shipped(), MicroShift's own `version`
// file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "device/app_version.hpp"
#include "device/version_rules.hpp"

namespace fairway::device {

enum class Health { Unknown, Healthy, Unhealthy };
std::string_view to_string(Health health);

struct Opening {
  AppVersion version = {};
  std::string deployment_id = {};  // "" where there are no deployments, or not known
  std::string boot_id = {};
  bool operator==(const Opening&) const = default;
};

// How far a step has got that can go on where it was interrupted.
struct MigrationPosition {
  std::string step = {};
  std::string at = {};  // in the step's own words
  bool operator==(const MigrationPosition&) const = default;
};

struct MigrationProgress {
  AppVersion from = {};
  AppVersion to = {};
  std::vector<std::string> done = {};  // names of steps
  std::optional<MigrationPosition> position = {};
  bool operator==(const MigrationProgress&) const = default;
};

struct DataVersion {
  AppVersion version = {};
  Opening opened_by = {};
  Health status = Health::Unknown;
  std::optional<AppVersion> healthy_version = {};  // the last software that was healthy on this data
  std::string healthy_boot_id = {};
  std::optional<MigrationProgress> migration = {};
  std::uint64_t seq = 0;

  static Result<DataVersion> parse(std::string_view text);
  static Result<DataVersion> parse_shipped(std::string_view text);
  std::string serialize() const;

  bool was_ever_healthy() const { return healthy_version.has_value(); }
  DataLevel level() const { return {version, opened_by.version}; }
  bool operator==(const DataVersion&) const = default;
};

}  // namespace fairway::device
