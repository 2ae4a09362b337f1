// Manifest: what a backup is of. It stands beside the backup, not inside, so that the copy stays equal to the
// data.
//
// Written after the copy is durable and has its name; a directory without a complete manifest that agrees
// with it is not a backup. `created` is for people: clocks of devices are not trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/app_version.hpp"

namespace fairway::device {

// A deployment's directory, to tell it from a later one of the same id.
struct DirectoryIdentity {
  std::uint64_t inode = 0;
  std::string birth = {};  // seconds.nanoseconds; "" where the file system has none
  bool operator==(const DirectoryIdentity&) const = default;
};

struct Manifest {
  std::string deployment_id = {};
  std::string boot_id = {};
  std::optional<AppVersion> version = {};  // nothing for data from before there was a .version
  std::uint64_t seq = 0;
  std::string created = {};  // RFC 3339
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::string method = {};  // "reflink" or "copy"
  std::optional<std::string> digest = {};
  std::optional<DirectoryIdentity> deployment_dir = {};

  static Result<Manifest> parse(std::string_view text);
  std::string serialize() const;
  bool operator==(const Manifest&) const = default;
};

}  // namespace fairway::device
