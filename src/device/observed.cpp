#include "device/observed.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::device {

std::string Backup::problem() const {
  if (!has_directory) return "its directory is missing";
  if (std::holds_alternative<Absent>(manifest)) return "it has no manifest";
  if (const Corrupt* corrupt = problem_of(manifest)) return "its manifest cannot be read: " + corrupt->why;
  if (const Corrupt* corrupt = problem_of(version)) return "its .version cannot be read: " + corrupt->why;
  const Manifest& record = std::get<Manifest>(manifest);
  if (kind == EntryKind::Backup && record.deployment_id != name)
    return fmt::format("its manifest is of {}", quoted(record.deployment_id));
  const DataVersion* own = value_of(version);
  if (own == nullptr)
    return record.version ? "its manifest is of another copy: this one has no .version" : "";
  if (own->opened_by.boot_id != record.boot_id || own->seq != record.seq)
    return "its manifest is of another copy";
  return "";
}

bool Backup::is_complete() const {
  return problem().empty();
}

}  // namespace fairway::device
