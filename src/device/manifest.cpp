#include "device/manifest.hpp"

#include "device/record.hpp"
#include "json/value.hpp"

namespace fairway::device {

Result<Manifest> Manifest::parse(std::string_view text) {
  FAIRWAY_TRY(const auto object, parse_record(text));
  RecordReader reader(object);
  Manifest manifest;
  manifest.deployment_id = reader.deployment("deployment_id");
  manifest.boot_id = reader.boot("boot_id");
  manifest.version = reader.optional_version("version");
  manifest.seq = reader.number_or("seq", 0);
  manifest.created = reader.optional_text("created").value_or("");
  manifest.files = reader.number_or("files", 0);
  manifest.bytes = reader.number_or("bytes", 0);
  manifest.method = reader.optional_text("method").value_or("");
  manifest.digest = reader.optional_text("digest");
  if (const json::Object* directory = reader.object("deployment_dir")) {
    RecordReader nested(*directory);
    manifest.deployment_dir = DirectoryIdentity{nested.number("ino"), nested.text("btime")};
    reader.adopt("deployment_dir", nested);
  }
  if (json::get_bool(object, {"complete"}) != true) reader.complain("complete", "true");
  if (auto problem = reader.problem()) return std::unexpected(*std::move(problem));
  return manifest;
}

std::string Manifest::serialize() const {
  json::Object object{{"schema", kSchema}, {"deployment_id", deployment_id}, {"boot_id", boot_id}};
  if (version) object["version"] = version->to_string();
  object["seq"] = seq;
  object["created"] = created;
  object["files"] = files;
  object["bytes"] = bytes;
  object["method"] = method;
  if (digest) object["digest"] = *digest;
  if (deployment_dir)
    object["deployment_dir"] = json::Object{{"ino", deployment_dir->inode}, {"btime", deployment_dir->birth}};
  object["complete"] = true;
  return json::serialize(object) + "\n";
}

}  // namespace fairway::device
