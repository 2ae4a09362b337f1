// History: one line of JSON for every decision that was carried out, appended and never changed.
//
// A line that a power cut left unfinished is skipped by readers and ended by the next writer. At 4 MiB the
// file becomes history.1 and a new one begins.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::device {

Result<void> append_history(const std::string& backups, const json::Object& entry);
// Oldest first, at most `most` of the newest.
Result<std::vector<json::Object>> read_history(const std::string& backups, std::size_t most);

}  // namespace fairway::device
