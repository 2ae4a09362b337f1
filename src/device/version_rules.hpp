// The version rules: which software may open which data, and through which migrations.
//
// Only X.Y is compared; Z moves both ways freely, unless a pair is blocked. Forward by at most `max_skew`
// minors, counted across majors by the table of each major's last minor; never backward. A list of blocked
// upgrades that cannot be read refuses every change of version: not knowing never permits.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "device/app_version.hpp"

namespace fairway::device {

// {"4.14.10": ["4.14.5", "4.14.6"]}: to the first from any of the others.
class BlockedUpgrades {
 public:
  static Result<BlockedUpgrades> parse(std::string_view text);
  bool contains(const AppVersion& from, const AppVersion& to) const;
  bool is_empty() const { return pairs_.empty(); }

 private:
  std::set<std::pair<AppVersion, AppVersion>> pairs_;  // from, to
};

// What is blocked where no file says so: upgrade-blocks.json beside this.
std::string_view embedded_blocked_upgrades();

struct VersionRules {
  std::uint32_t max_skew = 1;
  std::map<std::uint32_t, std::uint32_t> last_minor = {{4, 22}};
  BlockedUpgrades blocked = {};
  std::optional<std::string> blocked_problem = {};  // why the list could not be read
};

// How many minors lie between; nothing when a version is beyond what the table knows.
std::optional<std::int64_t> minor_distance(const VersionRules& rules, const AppVersion& from,
                                           const AppVersion& to);

struct RunAsIs {
  bool operator==(const RunAsIs&) const = default;
};
struct MigrateTo {
  std::vector<std::string> hops = {};  // "4.15", "4.16"
  bool operator==(const MigrateTo&) const = default;
};
struct RefuseVersion {
  std::string why = {};
  bool operator==(const RefuseVersion&) const = default;
};
using VersionVerdict = std::variant<RunAsIs, MigrateTo, RefuseVersion>;

// What is known of the data: its schema level, and the newest software that has opened it.
struct DataLevel {
  AppVersion version = {};
  std::optional<AppVersion> opened_by = {};

  const AppVersion& newest() const { return opened_by && *opened_by > version ? *opened_by : version; }
};

VersionVerdict judge_version(const VersionRules& rules, const DataLevel& data, const AppVersion& binary);

}  // namespace fairway::device
