// NextBoot: what the next boot has to do first. Written by green, red and the administrator, read by pre-run.
//
// A backup that is still to be made and a wish to restore can stand side by side; the backup comes first.
// Also reads the one-line forms `backup <id>` and `restore`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::device {

struct PendingBackup {
  std::string deployment_id = {};
  std::string boot_id = {};  // "" in the one-line form
  bool operator==(const PendingBackup&) const = default;
};

enum class Requester { Red, Admin };

struct RestoreRequest {
  Requester by = Requester::Red;
  std::optional<std::string> deployment_id = {};  // this backup and no other
  bool operator==(const RestoreRequest&) const = default;
};

struct NextBoot {
  std::optional<PendingBackup> backup = {};
  std::optional<RestoreRequest> restore = {};
  bool red_kept_backup = false;  // written as "restore": false; a red boot left the pending backup alone
  std::optional<std::string> predecessor = {};  // whose backup to go back to
  std::string written_boot_id = {};
  std::uint64_t seq = 0;

  static Result<NextBoot> parse(std::string_view text);
  std::string serialize() const;

  bool asks_for_nothing() const { return !backup && !restore; }
  // Whether both ask for the same, whenever they were written.
  bool same_wish(const NextBoot& other) const;
  bool operator==(const NextBoot&) const = default;
};

}  // namespace fairway::device
