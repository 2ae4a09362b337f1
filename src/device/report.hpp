// Reports: the state of a device for people and for programs. Pure: what was observed goes in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/observed.hpp"
#include "json/value.hpp"

namespace fairway::device {

// The newest red boot of another deployment that was never green afterwards: the system was rolled back from
// it.
struct RolledBack {
  std::string from = {};
  std::string when = {};
  std::string why = {};
};
std::optional<RolledBack> find_rollback(const std::vector<json::Object>& history, const std::string& current);

// What the next boot is asked to do, and what the data is, in a few words.
std::string wish_text(const Found<NextBoot>& found);
std::string data_text(const Observed& seen);

json::Object backup_json(const Observed& seen, const Backup& backup);
std::string backups_text(const Observed& seen);

struct Status {
  Observed seen = {};
  std::optional<std::string> failure = {};  // prerun_failed.log
  std::optional<RolledBack> rolled_back = {};
};
json::Object to_json(const Status& status);
std::string to_text(const Status& status);
// For the message of the day; "" when there is nothing to say.
std::string motd(const Status& status);

std::string history_text(const std::vector<json::Object>& history);

}  // namespace fairway::device
