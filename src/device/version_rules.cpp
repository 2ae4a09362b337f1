#include "device/version_rules.hpp"

#include <fmt/format.h>
#include <span>

#include "base/text.hpp"
#include "json/value.hpp"

namespace fairway::device {

// Made of files at build time.
std::span<const std::pair<std::string_view, std::string_view>> embedded_lists();

namespace {

constexpr std::size_t kMaxListBytes = 1024 * 1024;

// A version's place in one row of minors over all known majors; nothing beyond it.
std::optional<std::int64_t> place_of(const std::map<std::uint32_t, std::uint32_t>& last_minor,
                                     const AppVersion& version) {
  std::int64_t before = 0;
  std::optional<std::uint32_t> previous;
  for (const auto& [major, last] : last_minor) {
    if (previous && major != *previous + 1) return std::nullopt;  // a gap: nothing beyond it can be counted
    if (version.major == major)
      return version.minor <= last ? std::optional(before + version.minor) : std::nullopt;
    before += std::int64_t{last} + 1;
    previous = major;
  }
  if (previous && version.major == *previous + 1) return before + version.minor;
  return std::nullopt;
}

RefuseVersion unknown_version(const AppVersion& data, const AppVersion& binary) {
  return {
      fmt::format("the distance from data {} to executable {} is not known: one of the versions is beyond "
                  "the table of last minors; add its major to last-minor in the settings",
                  quoted(data.to_string()), quoted(binary.to_string()))};
}

std::vector<std::string> hops_between(const VersionRules& rules, const AppVersion& from,
                                      const AppVersion& to) {
  std::vector<std::string> hops;
  AppVersion at = from;
  while (!at.same_minor(to)) {
    const auto last = rules.last_minor.find(at.major);
    const bool ends_major = last != rules.last_minor.end() && at.minor >= last->second;
    at =
        ends_major ? AppVersion{.major = at.major + 1} : AppVersion{.major = at.major, .minor = at.minor + 1};
    hops.push_back(at.minor_text());
  }
  return hops;
}

}  // namespace

std::string_view embedded_blocked_upgrades() {
  return embedded_lists().front().second;
}

Result<BlockedUpgrades> BlockedUpgrades::parse(std::string_view text) {
  FAIRWAY_TRY(const auto object, json::parse_object(text, {.max_depth = 8, .max_bytes = kMaxListBytes}));
  BlockedUpgrades list;
  for (const auto& [key, value] : object) {
    FAIRWAY_TRY(const AppVersion to, AppVersion::parse(std::string_view(key.data(), key.size())));
    if (!value.is_array())
      return fail(ErrorCode::Invalid, fmt::format("{}: expected a list of versions, found {}",
                                                  quoted(to.to_string()), json::a_kind(value)));
    for (const json::Value& item : value.get_array()) {
      if (!item.is_string())
        return fail(ErrorCode::Invalid, fmt::format("{}: expected a version, found {}",
                                                    quoted(to.to_string()), json::a_kind(item)));
      FAIRWAY_TRY(const AppVersion from, AppVersion::parse(json::view(item.get_string())));
      list.pairs_.emplace(from, to);
    }
  }
  return list;
}

bool BlockedUpgrades::contains(const AppVersion& from, const AppVersion& to) const {
  return pairs_.contains({from, to});
}

std::optional<std::int64_t> minor_distance(const VersionRules& rules, const AppVersion& from,
                                           const AppVersion& to) {
  if (rules.last_minor.empty()) {
    if (from.major != to.major) return std::nullopt;
    return std::int64_t{to.minor} - std::int64_t{from.minor};
  }
  const auto start = place_of(rules.last_minor, from);
  const auto end = place_of(rules.last_minor, to);
  if (!start || !end) return std::nullopt;
  return *end - *start;
}

VersionVerdict judge_version(const VersionRules& rules, const DataLevel& data, const AppVersion& binary) {
  const AppVersion& newest = data.newest();
  if (!minor_distance(rules, newest, binary) || !minor_distance(rules, data.version, binary))
    return unknown_version(newest, binary);
  if (binary.is_older_minor_than(newest))
    return RefuseVersion{fmt::format(
        "executable ({}) is older than existing data ({}): migrating data to older version is not supported",
        binary.to_string(), newest.to_string())};
  if (binary == data.version && binary == newest) return RunAsIs{};
  if (rules.blocked_problem)
    return RefuseVersion{
        fmt::format("the list of blocked upgrades cannot be read, so no change of version is "
                    "allowed: {}",
                    *rules.blocked_problem)};
  for (const AppVersion& from : {data.version, newest}) {
    if (from != binary && rules.blocked.contains(from, binary))
      return RefuseVersion{
          fmt::format("upgrade from \"{}\" to \"{}\" is blocked", from.to_string(), binary.to_string())};
  }
  const std::int64_t distance = *minor_distance(rules, data.version, binary);
  if (distance > rules.max_skew)
    return RefuseVersion{
        fmt::format("executable ({}) is too recent compared to existing data ({}): version "
                    "distance is {}, maximum allowed is {}",
                    binary.to_string(), data.version.to_string(), distance, rules.max_skew)};
  if (distance == 0) return RunAsIs{};
  return MigrateTo{hops_between(rules, data.version, binary)};
}

}  // namespace fairway::device
