#include "device/journal.hpp"

#include "device/record.hpp"
#include "json/value.hpp"

namespace fairway::device {

std::string_view to_string(Operation operation) {
  return operation == Operation::Backup ? "backup" : "restore";
}

Result<Journal> Journal::parse(std::string_view text) {
  FAIRWAY_TRY(const auto object, parse_record(text));
  RecordReader reader(object);
  Journal journal;
  const std::string operation = reader.text("op");
  if (operation != "backup" && operation != "restore") reader.complain("op", "\"backup\" or \"restore\"");
  journal.operation = operation == "restore" ? Operation::Restore : Operation::Backup;
  journal.source = reader.text("src");
  journal.destination = reader.text("dst");
  journal.temporary = reader.text("tmp");
  const std::string phase = reader.text("phase");
  if (phase != "copy" && phase != "swapped") reader.complain("phase", "\"copy\" or \"swapped\"");
  journal.phase = phase == "swapped" ? Phase::Swapped : Phase::Copy;
  journal.inode = reader.number_or("ino", 0);
  journal.becomes_latest = json::get_bool(object, {"latest"}).value_or(false);
  const json::Object* manifest = reader.object("manifest");
  if (auto problem = reader.problem()) return std::unexpected(*std::move(problem));
  if (manifest != nullptr) {
    FAIRWAY_TRY(journal.manifest, Manifest::parse(json::serialize(*manifest)));
  }
  if (journal.phase == Phase::Swapped && journal.inode == 0)
    return fail(ErrorCode::Invalid, "ino: expected the number of the copy, found nothing");
  return journal;
}

std::string Journal::serialize() const {
  json::Object object{{"schema", kSchema}, {"op", to_string(operation)},
                      {"src", source},     {"dst", destination},
                      {"tmp", temporary},  {"phase", phase == Phase::Copy ? "copy" : "swapped"}};
  if (phase == Phase::Swapped) object["ino"] = inode;
  if (becomes_latest) object["latest"] = true;
  if (manifest) object["manifest"] = json::parse(manifest->serialize()).value();
  return json::serialize(object) + "\n";
}

Recovery recover(const Journal& journal, const JournalFacts& facts) {
  if (journal.phase == Phase::Copy) return Recovery::Discard;
  if (facts.destination_inode == journal.inode) return Recovery::Finish;
  if (!facts.destination_inode && facts.temporary_inode == journal.inode) return Recovery::Rename;
  return Recovery::Discard;
}

}  // namespace fairway::device
