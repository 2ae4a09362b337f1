#include "device/next_boot.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/names.hpp"
#include "device/record.hpp"
#include "json/value.hpp"

namespace fairway::device {
namespace {

Result<NextBoot> parse_line(std::string_view line) {
  const auto words = split_words(line);
  if (words.size() == 1 && words[0] == "restore") return NextBoot{.restore = RestoreRequest{}};
  if (words.size() == 2 && words[0] == "backup" && is_deployment_name(words[1]))
    return NextBoot{.backup = PendingBackup{.deployment_id = std::string(words[1])}};
  return fail(ErrorCode::Invalid, fmt::format("expected a JSON object, \"backup <deployment id>\" or "
                                              "\"restore\", found {}",
                                              line.empty() ? "an empty file" : quoted(line)));
}

std::optional<PendingBackup> read_backup(RecordReader& reader) {
  const json::Object* object = reader.object("backup");
  if (object == nullptr) return std::nullopt;
  RecordReader nested(*object);
  PendingBackup backup{.deployment_id = nested.deployment("deployment_id"),
                       .boot_id = nested.boot("boot_id")};
  if (backup.deployment_id.empty()) nested.complain("deployment_id", "a deployment id");
  reader.adopt("backup", nested);
  return backup;
}

std::optional<RestoreRequest> read_restore(const json::Object& record, RecordReader& reader, bool& kept) {
  const auto flag = json::get_bool(record, {"restore"});
  if (flag && !*flag) {
    kept = true;
    return std::nullopt;
  }
  const json::Object* object = reader.object("restore");
  if (object == nullptr) return std::nullopt;
  RecordReader nested(*object);
  RestoreRequest request;
  const std::string by = nested.text("by");
  if (by != "red" && by != "admin") nested.complain("by", "\"red\" or \"admin\"");
  request.by = by == "admin" ? Requester::Admin : Requester::Red;
  request.deployment_id = nested.optional_deployment("deployment_id");
  reader.adopt("restore", nested);
  return request;
}

}  // namespace

Result<NextBoot> NextBoot::parse(std::string_view text) {
  const auto is_binary = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
  };
  if (const auto line = trim(text); !line.starts_with('{')) {
    if (line.size() > 300 || std::ranges::any_of(line, is_binary))
      return fail(ErrorCode::Invalid, "expected a JSON object, found something else");
    return parse_line(line);
  }
  FAIRWAY_TRY(const auto object, parse_record(text));
  RecordReader reader(object);
  NextBoot next;
  const std::string action = reader.text("action");
  next.backup = read_backup(reader);
  next.restore = read_restore(object, reader, next.red_kept_backup);
  next.predecessor = reader.optional_deployment("predecessor");
  next.written_boot_id = reader.boot("written_boot_id");
  next.seq = reader.number_or("seq", 0);
  if (action == "backup") {
    if (!next.backup) reader.complain("backup", "what to back up, because the action is \"backup\"");
  } else if (action == "restore") {
    if (!next.restore) reader.complain("restore", "who asked, because the action is \"restore\"");
    if (next.backup) reader.complain("backup", "nothing, because the action is \"restore\"");
  } else if (action == "none") {
    if (!next.asks_for_nothing()) reader.complain("action", "\"backup\" or \"restore\"");
  } else {
    reader.complain("action", "\"backup\", \"restore\" or \"none\"");
  }
  if (auto problem = reader.problem()) return std::unexpected(*std::move(problem));
  return next;
}

std::string NextBoot::serialize() const {
  json::Object object{{"schema", kSchema}, {"action", backup ? "backup" : restore ? "restore" : "none"}};
  if (backup)
    object["backup"] = json::Object{{"deployment_id", backup->deployment_id}, {"boot_id", backup->boot_id}};
  if (restore) {
    json::Object request{{"by", restore->by == Requester::Red ? "red" : "admin"}};
    if (restore->deployment_id) request["deployment_id"] = *restore->deployment_id;
    object["restore"] = std::move(request);
  } else if (red_kept_backup) {
    object["restore"] = false;
  }
  if (predecessor) object["predecessor"] = *predecessor;
  object["written_boot_id"] = written_boot_id;
  object["seq"] = seq;
  return json::serialize(object) + "\n";
}

bool NextBoot::same_wish(const NextBoot& other) const {
  return backup == other.backup && restore == other.restore && red_kept_backup == other.red_kept_backup &&
         predecessor == other.predecessor;
}

}  // namespace fairway::device
