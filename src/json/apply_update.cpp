#include "json/apply_update.hpp"

#include <algorithm>

namespace fairway::json {
namespace {

// What nobody owns: the API server itself keeps these.
const FieldSet& bookkeeping_fields() {
  const auto meta = [](std::string_view name) {
    return FieldPath{PathElement::field("metadata"), PathElement::field(std::string(name))};
  };
  static const FieldSet kFields{{PathElement::field("apiVersion")},
                                {PathElement::field("kind")},
                                {PathElement::field("metadata")},
                                meta("name"),
                                meta("namespace"),
                                meta("creationTimestamp"),
                                meta("selfLink"),
                                meta("uid"),
                                meta("clusterName"),
                                meta("generation"),
                                meta("managedFields"),
                                meta("resourceVersion")};
  return kFields;
}

const Schema* schema_of(const FieldWriter& writer, const std::string& api_version) {
  if (api_version == writer.api_version || !writer.versions) return writer.schema;
  return writer.versions(api_version);
}

void drop_empty(ManagedFields& managed) {
  std::erase_if(managed, [](const auto& each) { return each.second.fields.empty(); });
}

// Owners in versions that are no longer served are forgotten; the others follow changes of their schema.
void reconcile_all(ManagedFields& managed, const FieldWriter& writer) {
  std::erase_if(managed, [&](const auto& each) { return !schema_of(writer, each.second.api_version); });
  for (auto& [identifier, entry] : managed) {
    entry.fields = reconcile(*schema_of(writer, entry.api_version), entry.fields);
  }
}

// How one change of the object looks in each version that has owners.
class Changes {
 public:
  Changes(const Value& before, const Value& after, const FieldWriter& writer)
      : before_(before), after_(after), writer_(writer) {}

  struct Change : Comparison {
    FieldSet set;  // modified and added
  };

  const Change& in(const std::string& api_version) {
    if (const auto known = by_version_.find(api_version); known != by_version_.end()) return known->second;
    Change found{compare(*schema_of(writer_, api_version), before_, after_), {}};
    for (FieldSet* set : {&found.added, &found.modified, &found.removed}) {
      *set = set->subtract_recursively(writer_.reset_fields);
    }
    found.set = found.modified.unite(found.added);
    return by_version_.emplace(api_version, std::move(found)).first->second;
  }

 private:
  const Value& before_;
  const Value& after_;
  const FieldWriter& writer_;
  std::map<std::string, Change> by_version_;
};

// What other managers own of what has changed.
OwnedConflicts conflicts_of(const ManagedFields& managed, const std::string& self, Changes& changes) {
  OwnedConflicts out;
  for (const auto& [identifier, entry] : managed) {
    if (identifier == self) continue;
    FieldSet taken = entry.fields.intersect(changes.in(entry.api_version).set);
    if (!taken.empty()) out.emplace(identifier, OwnedConflict{entry.described(), std::move(taken)});
  }
  return out;
}

// A set that has nothing of it stays the very same.
void lose(FieldSet& fields, const FieldSet& gone) {
  if (!fields.intersect(gone).empty()) fields = fields.subtract(gone);
}

// Others lose what was taken from them and what is gone.
void take_away(ManagedFields& managed, const std::string& self, const OwnedConflicts& conflicts,
               Changes& changes) {
  for (auto& [identifier, entry] : managed) {
    if (identifier == self) continue;
    const auto taken = conflicts.find(identifier);
    if (taken != conflicts.end()) entry.fields = entry.fields.subtract(taken->second.fields);
    lose(entry.fields, changes.in(entry.api_version).removed);
  }
  drop_empty(managed);
}

ManagedEntry own_entry(const FieldWriter& writer, bool is_apply) {
  return {writer.manager.empty() ? "unknown" : writer.manager,
          is_apply,
          writer.api_version,
          writer.subresource,
          {},
          {}};
}

// A manager's field goes when it applied it last time, does not now, and nobody else owns it.
Value prune_unapplied(const Value& merged, const ManagedFields& managed, const ManagedEntry& last,
                      const ManagedEntry& own, const FieldWriter& writer) {
  const Schema* last_schema = schema_of(writer, last.api_version);
  if (!last_schema || last.fields.subtract(own.fields).empty()) return merged;
  const FieldSet last_fields = last.fields.with_named_fields(*last_schema);
  Value pruned = remove_items(*last_schema, merged, last_fields);

  std::map<std::string, FieldSet> owned_in;
  for (const auto& [identifier, entry] : managed) {
    FieldSet& owned = owned_in[entry.api_version];
    owned = owned.unite(entry.fields);
  }
  for (const auto& [api_version, owned] : owned_in) {
    const Schema* schema = schema_of(writer, api_version);
    if (!schema) continue;
    const auto all_of = [&](const FieldSet& set) { return set.with_named_fields(*schema); };
    const FieldSet kept = all_of(to_field_set(*schema, pruned)).unite(all_of(owned));
    pruned = remove_items(*schema, merged, all_of(to_field_set(*schema, merged)).subtract(kept));
  }

  const auto all_of = [&](const FieldSet& set) { return set.with_named_fields(*last_schema); };
  const FieldSet gone =
      all_of(to_field_set(*last_schema, merged)).subtract(all_of(to_field_set(*last_schema, pruned)));
  return remove_items(*last_schema, merged, gone.intersect(last_fields));
}

bool same_owners(const ManagedFields& left, const ManagedFields& right) {
  return std::ranges::equal(left, right, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.api_version == b.second.api_version &&
           a.second.fields == b.second.fields;
  });
}

}  // namespace

ManagedFields update_managers(const Value& before, const Value& after, ManagedFields managed,
                              const FieldWriter& writer) {
  reconcile_all(managed, writer);
  Changes changes(before, after, writer);
  ManagedEntry own = own_entry(writer, false);
  const std::string self = own.identifier();
  take_away(managed, self, conflicts_of(managed, self, changes), changes);
  const Changes::Change& change = changes.in(writer.api_version);
  const FieldSet changed = change.set.subtract(bookkeeping_fields());
  auto slot = managed.find(self);
  if (slot != managed.end()) {
    lose(slot->second.fields, change.removed);
    lose(slot->second.fields, change.set.intersect(bookkeeping_fields()));
  }
  // An entry of the writer's own in which nothing changed keeps its time.
  if (!changed.empty()) {
    if (slot == managed.end()) slot = managed.emplace(self, std::move(own)).first;
    FieldSet& fields = slot->second.fields;
    if (!changed.subtract(fields).empty()) fields = fields.unite(changed);
    slot->second.time = writer.now;
  }
  drop_empty(managed);
  cap_update_managers(managed);
  return managed;
}

MergeOutcome apply_managers(const Object& live, const Object& patch, const ManagedFields& managed,
                            const FieldWriter& writer, bool force) {
  ManagedFields owners = managed;
  reconcile_all(owners, writer);
  const Value live_value(live);
  const Value patch_value(patch);
  const Value merged = merge_typed(*writer.schema, live_value, patch_value);

  ManagedEntry own = own_entry(writer, true);
  const std::string self = own.identifier();
  const auto last = owners.find(self);
  const std::optional<ManagedEntry> before =
      last == owners.end() ? std::nullopt : std::optional(last->second);
  own.fields = to_field_set(*writer.schema, patch_value).subtract_recursively(writer.reset_fields);
  own.time = before ? before->time : std::nullopt;
  owners.insert_or_assign(self, own);

  const Value pruned = before ? prune_unapplied(merged, owners, *before, own, writer) : merged;
  Changes changes(live_value, pruned, writer);
  OwnedConflicts conflicts = conflicts_of(owners, self, changes);
  if (!force && !conflicts.empty()) return {std::nullopt, managed, std::move(conflicts)};
  take_away(owners, self, conflicts, changes);

  MergeOutcome out;
  const bool is_changed = !changes.in(writer.api_version).is_same();
  if (is_changed) out.object = pruned.is_object() ? pruned.get_object() : Object{};
  if (const auto slot = owners.find(self); slot != owners.end()) {
    slot->second.fields = slot->second.fields.subtract(bookkeeping_fields());
    if (slot->second.fields.empty()) owners.erase(slot);
  }
  if (const auto slot = owners.find(self);
      slot != owners.end() && (is_changed || !same_owners(owners, managed))) {
    slot->second.time = writer.now;
  }
  out.managed = std::move(owners);
  return out;
}

}  // namespace fairway::json
