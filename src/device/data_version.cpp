#include "device/data_version.hpp"

#include "base/text.hpp"
#include "device/record.hpp"
#include "json/value.hpp"

namespace fairway::device {
namespace {

Health read_status(RecordReader& reader) {
  const std::string status = reader.text("status");
  if (status == "healthy") return Health::Healthy;
  if (status == "unhealthy") return Health::Unhealthy;
  if (status != "unknown") reader.complain("status", "\"unknown\", \"healthy\" or \"unhealthy\"");
  return Health::Unknown;
}

Opening read_opening(const json::Object& object, RecordReader& reader) {
  RecordReader nested(object);
  Opening opening{.version = nested.version("version"),
                  .deployment_id = nested.deployment("deployment_id"),
                  .boot_id = nested.boot("boot_id")};
  reader.adopt("opened_by", nested);
  return opening;
}

std::optional<MigrationProgress> read_migration(RecordReader& reader) {
  const json::Object* object = reader.object("migration");
  if (object == nullptr) return std::nullopt;
  RecordReader nested(*object);
  MigrationProgress progress{.from = nested.version("from"), .to = nested.version("to")};
  const json::Array* done = json::get_array(*object, {"done"});
  if (done == nullptr) nested.complain("done", "a list of steps");
  for (const json::Value& step : done == nullptr ? json::Array{} : *done) {
    if (step.is_string()) {
      progress.done.emplace_back(json::view(step.get_string()));
    } else {
      nested.complain("done", "a list of texts");
    }
  }
  if (const json::Object* position = nested.object("position")) {
    RecordReader inner(*position);
    progress.position = MigrationPosition{inner.text("step"), inner.text("at")};
    nested.adopt("position", inner);
  }
  reader.adopt("migration", nested);
  return progress;
}

// Data that another tool looked after: a system ran on it, so it counts as healthy.
DataVersion adopted(const AppVersion& version, std::string deployment, std::string boot) {
  return {.version = version,
          .opened_by = {version, std::move(deployment), std::move(boot)},
          .status = Health::Healthy,
          .healthy_version = version};
}

json::Object to_object(const MigrationProgress& progress) {
  json::Array done;
  for (const std::string& step : progress.done) done.emplace_back(step);
  json::Object object{
      {"from", progress.from.to_string()}, {"to", progress.to.to_string()}, {"done", std::move(done)}};
  if (progress.position)
    object["position"] = json::Object{{"step", progress.position->step}, {"at", progress.position->at}};
  return object;
}

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::Healthy:
      return "healthy";
    case Health::Unhealthy:
      return "unhealthy";
    case Health::Unknown:
      break;
  }
  return "unknown";
}

Result<DataVersion> DataVersion::parse(std::string_view text) {
  if (const auto bare = trim(text); !bare.empty() && bare.front() != '{') {
    FAIRWAY_TRY(const AppVersion version, AppVersion::parse(bare));
    return adopted(version, "", "");
  }
  FAIRWAY_TRY(const auto object, parse_record(text));
  RecordReader reader(object);
  DataVersion data;
  data.version = reader.version("version");
  if (const json::Object* opening = reader.object("opened_by")) {
    data.opened_by = read_opening(*opening, reader);
  } else {
    reader.complain("opened_by", "an object");
  }
  data.status = read_status(reader);
  data.healthy_version = reader.optional_version("healthy_version");
  data.healthy_boot_id = reader.boot("healthy_boot_id");
  data.migration = read_migration(reader);
  data.seq = reader.number_or("seq", 0);
  if (auto problem = reader.problem()) return std::unexpected(*std::move(problem));
  return data;
}

Result<DataVersion> DataVersion::parse_shipped(std::string_view text) {
  if (const auto bare = trim(text); !bare.empty() && bare.front() != '{') {
    FAIRWAY_TRY(const AppVersion version, AppVersion::parse(bare));
    return adopted(version, "", "");
  }
  FAIRWAY_TRY(const auto object, json::parse_object(text, {.max_depth = 16, .max_bytes = kMaxRecordBytes}));
  RecordReader reader(object);
  const AppVersion version = reader.version("version");
  const auto deployment = reader.optional_text("deployment_id");
  const std::string boot = reader.boot("boot_id");
  if (deployment && !deployment->empty()) reader.deployment("deployment_id");
  if (auto problem = reader.problem()) return std::unexpected(*std::move(problem));
  return adopted(version, deployment.value_or(""), boot);
}

std::string DataVersion::serialize() const {
  json::Object object{{"schema", kSchema},
                      {"version", version.to_string()},
                      {"opened_by", json::Object{{"version", opened_by.version.to_string()},
                                                 {"deployment_id", opened_by.deployment_id},
                                                 {"boot_id", opened_by.boot_id}}},
                      {"status", to_string(status)}};
  if (healthy_version) object["healthy_version"] = healthy_version->to_string();
  if (!healthy_boot_id.empty()) object["healthy_boot_id"] = healthy_boot_id;
  if (migration) object["migration"] = to_object(*migration);
  object["seq"] = seq;
  return json::serialize(object) + "\n";
}

}  // namespace fairway::device
