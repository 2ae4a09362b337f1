#include "json/apply.hpp"

#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "json/apply_last.hpp"
#include "json/apply_managed.hpp"
#include "json/apply_update.hpp"

namespace fairway::json {
namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";

std::string group_version_kind(const Object& object) {
  const std::string_view version = get_string(object, {"apiVersion"}).value_or("");
  const std::string_view kind = get_string(object, {"kind"}).value_or("");
  const std::string_view separator = version.contains('/') ? "" : "/";
  return fmt::format("{}{}, Kind={}", separator, version, kind);
}

std::string described(const Object& object) {
  return fmt::format("{}/{}; {}", get_string(object, {"metadata", "namespace"}).value_or(""),
                     get_string(object, {"metadata", "name"}).value_or(""), group_version_kind(object));
}

Result<void> check_patch(const Object& live, const Object& patch, const FieldWriter& writer) {
  const auto kind = get_string(live, {"kind"});
  const bool wrong_kind = kind && get_string(patch, {"kind"}) != kind;
  if (wrong_kind || get_string(patch, {"apiVersion"}) != writer.api_version) {
    return fail(ErrorCode::Invalid, fmt::format("invalid object type: {}", group_version_kind(patch)));
  }
  const Value* managed = find(patch, {"metadata", "managedFields"});
  if (managed && !managed->is_null()) return fail(ErrorCode::Invalid, "metadata.managedFields must be nil");
  return {};
}

void drop_managed(Object& object) {
  Value* metadata = object.if_contains("metadata");
  if (metadata && metadata->is_object()) remove(metadata->get_object(), "managedFields");
}

void set_managed(Object& object, const ManagedFields& managed) {
  if (managed.empty()) return drop_managed(object);
  ensure_object(object, {"metadata"})["managedFields"] = encode_managed(managed, object.storage());
}

Result<void> check_shapes(const Object& live, const Object& patch, const FieldWriter& writer) {
  const auto patch_typed = check_typed(*writer.schema, patch, Duplicates::Refused);
  if (!patch_typed) {
    return fail(ErrorCode::Invalid, fmt::format("failed to create typed patch object ({}): {}",
                                                described(patch), patch_typed.error().message));
  }
  const auto live_typed = check_typed(*writer.schema, live, Duplicates::Allowed);
  if (!live_typed) {
    return fail(ErrorCode::Internal, fmt::format("failed to create typed live object ({}): {}",
                                                 described(live), live_typed.error().message));
  }
  return {};
}

// An object that was written before anybody was tracked belongs to "before-first-apply".
ManagedFields managed_before(const Object& live, ManagedFields managed, const FieldWriter& writer) {
  if (!managed.empty()) return managed;
  FieldWriter before = writer;
  before.manager = kBeforeFirstApply;
  Object nothing;
  for (const std::string_view key : {"apiVersion", "kind"}) {
    if (const Value* value = live.if_contains(key)) nothing[key] = *value;
  }
  return update_managers(Value(std::move(nothing)), Value(live), std::move(managed), before);
}

// Takes a value away for as long as this lives, and leaves null in its place.
class Parked {
 public:
  explicit Parked(Value* value) : place_(value), value_(nullptr, value ? value->storage() : Storage()) {
    if (place_) place_->swap(value_);
  }
  ~Parked() {
    if (place_) place_->swap(value_);
  }
  Parked(const Parked&) = delete;
  Parked& operator=(const Parked&) = delete;

 private:
  Value* place_;
  Value value_;
};

std::vector<Conflict> listed(const OwnedConflicts& conflicts) {
  std::vector<Conflict> out;
  for (const auto& [identifier, conflict] : conflicts) {
    conflict.fields.for_each(
        [&](const FieldPath& path) { out.push_back({conflict.manager, path_text(path)}); });
  }
  return out;
}

// Whose managedFields a write starts from: a subresource cannot set them, and clients that do not know them
// do not lose them.
ManagedFields managed_of(const Object& live, const Object& object, const FieldWriter& writer) {
  if (writer.subresource.empty()) {
    if (resets_managed_fields(object)) return {};
    auto sent = decode_managed(find(object, {"metadata", "managedFields"}));
    if (sent && !sent->empty()) {
      // They go with the object, and a client may have written them in another order.
      for (auto& [identifier, entry] : *sent) entry.source = nullptr;
      return *std::move(sent);
    }
  }
  return decode_managed(find(live, {"metadata", "managedFields"})).value_or(ManagedFields{});
}

}  // namespace

std::string ApplyConflicts::message() const {
  if (conflicts.size() == 1) {
    return fmt::format("Apply failed with 1 conflict: conflict with {}: {}", conflicts[0].manager,
                       conflicts[0].field);
  }
  std::string text;
  std::string_view manager;
  for (const Conflict& conflict : conflicts) {
    if (conflict.manager != manager || text.empty()) {
      text += fmt::format("{}conflicts with {}:", text.empty() ? "" : "\n", conflict.manager);
      manager = conflict.manager;
    }
    text += "\n- " + conflict.field;
  }
  return fmt::format("Apply failed with {} conflicts: {}", conflicts.size(), text);
}

Result<ApplyOutcome> apply(const Object& live, const Object& patch, const FieldWriter& writer, bool force) {
  FAIRWAY_CHECKED(check_patch(live, patch, writer));
  auto decoded = decode_managed(find(live, {"metadata", "managedFields"}));
  if (!decoded) {
    return fail(ErrorCode::Internal, "failed to decode managed fields: " + decoded.error().message);
  }
  const Object before = without_managed_fields(live);
  FAIRWAY_CHECKED(check_shapes(before, patch, writer));
  const ManagedFields managed = managed_before(before, *std::move(decoded), writer);

  MergeOutcome merged = apply_managers(before, patch, managed, writer, force);
  if (!merged.conflicts.empty() && writer.manager == kClientSideManager) {
    drop_conflicts(merged.conflicts, allowed_by_last_applied(before, writer));
    if (merged.conflicts.empty()) merged = apply_managers(before, patch, managed, writer, true);
  }
  if (!merged.conflicts.empty()) return ApplyConflicts{listed(merged.conflicts)};
  Object object = merged.object ? *std::move(merged.object) : before;
  if (writer.manager == kClientSideManager) refresh_last_applied(object, patch);
  set_managed(object, merged.managed);
  return Applied{std::move(object)};
}

Object metadata_without_managed_fields(const Object& metadata) {
  Object out(metadata.storage());
  out.reserve(metadata.size());
  for (const auto& [name, field] : metadata) {
    if (name != "managedFields") out.emplace(name, field);
  }
  return out;
}

Object without_managed_fields(const Object& object) {
  Object out(object.storage());
  out.reserve(object.size());
  for (const auto& [key, value] : object) {
    if (key == "metadata" && value.is_object()) {
      out.emplace(key, metadata_without_managed_fields(value.get_object()));
    } else {
      out.emplace(key, value);
    }
  }
  return out;
}

bool resets_managed_fields(const Object& object) {
  const Array* list = get_array(object, {"metadata", "managedFields"});
  if (!list) return false;
  if (list->empty()) return true;
  const Object* only = list->size() == 1 ? list->front().if_object() : nullptr;
  return only && only->empty();
}

void track_update(Object& live, Object& object, const FieldWriter& writer) {
  ManagedFields managed = managed_of(live, object, writer);
  drop_managed(object);
  // An object that nobody was tracked on from its creation is tracked from its first apply on.
  const bool is_create = get_string(live, {"metadata", "uid"}).value_or("").empty();
  std::optional<ManagedFields> tracked;
  {
    // Nobody owns the managedFields themselves, and nothing else is as long in many an object.
    const Parked managed_fields(find(live, {"metadata", "managedFields"}));
    const Lent before(live);
    const Lent after(object);
    const bool is_typed = check_typed(*writer.schema, before.value(), Duplicates::Allowed).has_value() &&
                          check_typed(*writer.schema, after.value(), Duplicates::Allowed).has_value();
    const bool is_tracked = is_create || !managed.empty();
    if (is_typed && !is_tracked) return;
    if (is_typed) tracked = update_managers(before.value(), after.value(), std::move(managed), writer);
  }
  if (tracked) return set_managed(object, *tracked);
  if (const Value* stored = find(live, {"metadata", "managedFields"}))
    ensure_object(object, {"metadata"})["managedFields"] = *stored;
}

}  // namespace fairway::json
