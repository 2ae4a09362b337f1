#include "json/apply_managed.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "base/text.hpp"
#include "json/schema_errors.hpp"
#include "json/write.hpp"

namespace fairway::json {
namespace {

using Seconds = std::chrono::sys_seconds;

// Entries are stored to the second.
Seconds seconds_of(const ManagedEntry& entry) {
  return entry.time ? std::chrono::floor<std::chrono::seconds>(*entry.time) : Seconds{};
}

Result<ManagedEntry> decode_entry(const Value& value, std::size_t index) {
  const Object* object = value.if_object();
  if (!object)
    return fail(ErrorCode::Invalid, fmt::format("managed fields entry {} is not an object", index));
  const auto text = [&](std::string_view key) {
    return std::string(get_string(*object, {key}).value_or(""));
  };
  const std::string operation = text("operation");
  if (operation != "Apply" && operation != "Update") {
    return fail(ErrorCode::Invalid, "operation must be `Apply` or `Update`");
  }
  ManagedEntry entry{text("manager"), operation == "Apply", text("apiVersion"), text("subresource"), {}, {}};
  if (entry.api_version.empty()) return fail(ErrorCode::Invalid, "apiVersion must not be empty");
  const std::string type = text("fieldsType");
  if (type.empty()) {
    return fail(ErrorCode::Invalid, fmt::format("missing fieldsType in managed fields entry {}", index));
  }
  if (type != "FieldsV1") {
    return fail(ErrorCode::Invalid,
                fmt::format("invalid fieldsType {} in managed fields entry {}", go_quoted(type), index));
  }
  if (const auto time = get_string(*object, {"time"})) {
    entry.time = parse_rfc3339(*time);
    if (!entry.time) {
      return fail(ErrorCode::Invalid,
                  fmt::format("invalid time {} in managed fields entry {}", quoted(*time), index));
    }
  }
  if (const Value* fields = object->if_contains("fieldsV1"); fields && !fields->is_null()) {
    FAIRWAY_TRY(entry.fields, FieldSet::decode(*fields));
    entry.source = fields;
    entry.read = entry.fields;
  }
  return entry;
}

Object encode_entry(const ManagedEntry& entry, const Storage& storage) {
  Object out(storage);
  out.reserve(7);
  if (!entry.manager.empty()) out["manager"] = entry.manager;
  out["operation"] = entry.is_apply ? "Apply" : "Update";
  out["apiVersion"] = entry.api_version;
  if (entry.time) out["time"] = format_rfc3339(*entry.time);
  out["fieldsType"] = "FieldsV1";
  if (entry.source && entry.fields.is_copy_of(entry.read)) {
    out["fieldsV1"] = *entry.source;
  } else {
    out.emplace("fieldsV1", entry.fields.encode(storage));
  }
  if (!entry.subresource.empty()) out["subresource"] = entry.subresource;
  return out;
}

ManagedEntry ancient_changes(const std::string& api_version) {
  return {"ancient-changes", false, api_version, "", {}, {}};
}

}  // namespace

std::string ManagedEntry::identifier() const {
  std::string out = "{";
  const auto add = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    if (out.size() > 1) out += ',';
    append_string(key, out);
    out += ':';
    append_string(value, out);
  };
  add("manager", manager);
  add("operation", is_apply ? "Apply" : "Update");
  if (!is_apply) add("apiVersion", api_version);
  add("subresource", subresource);
  return out + "}";
}

std::string ManagedEntry::described() const {
  std::string out = go_quoted(manager);
  if (!subresource.empty()) out += " with subresource " + go_quoted(subresource);
  if (!is_apply) out += " using " + api_version;
  return out;
}

Result<ManagedFields> decode_managed(const Value* list) {
  ManagedFields out;
  if (!list || list->is_null()) return out;
  const Array* entries = list->if_array();
  if (!entries) {
    return fail(ErrorCode::Invalid, fmt::format("managed fields: expected a list, found {}", a_kind(*list)));
  }
  for (std::size_t i = 0; i < entries->size(); ++i) {
    FAIRWAY_TRY(ManagedEntry entry, decode_entry((*entries)[i], i));
    std::string identifier = entry.identifier();
    out.insert_or_assign(std::move(identifier), std::move(entry));
  }
  return out;
}

Array encode_managed(const ManagedFields& managed, const Storage& storage) {
  std::vector<const ManagedEntry*> entries;
  for (const auto& [identifier, entry] : managed) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const ManagedEntry* entry) {
    return std::tuple<bool, Seconds, std::string_view, std::string_view, std::string_view>(
        !entry->is_apply, seconds_of(*entry), entry->manager, entry->api_version, entry->subresource);
  });
  Array out(storage);
  out.reserve(entries.size());
  for (const ManagedEntry* entry : entries) out.push_back(encode_entry(*entry, storage));
  return out;
}

void cap_update_managers(ManagedFields& managed, std::size_t limit) {
  std::vector<std::pair<Seconds, std::string>> updaters;
  for (const auto& [identifier, entry] : managed) {
    if (!entry.is_apply) updaters.emplace_back(seconds_of(entry), identifier);
  }
  if (updaters.size() <= limit) return;
  std::ranges::sort(updaters);
  std::map<std::string, std::string> first_of_version;
  std::size_t remaining = updaters.size();
  for (const auto& [time, identifier] : updaters) {
    if (remaining <= limit) return;
    ManagedEntry entry = managed.at(identifier);
    const auto [first, is_first] = first_of_version.try_emplace(entry.api_version, identifier);
    if (is_first) continue;  // merged when a second of its version has to go
    const ManagedEntry empty_bucket = ancient_changes(entry.api_version);
    const std::string bucket = empty_bucket.identifier();
    if (!managed.contains(bucket)) {
      ManagedEntry moved = empty_bucket;
      moved.fields = managed.at(first->second).fields;
      managed.erase(first->second);
      managed.emplace(bucket, std::move(moved));
    }
    managed.at(bucket).fields = entry.fields.unite(managed.at(bucket).fields);
    managed.at(bucket).time = entry.time;
    if (identifier != bucket) managed.erase(identifier);
    --remaining;
  }
}

}  // namespace fairway::json
