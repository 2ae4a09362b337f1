// ManagedFields: who owns which fields of one object, as metadata.managedFields says it.
//
// An entry belongs to a manager, an operation (Apply or Update), a subresource and, for updates, a version.
// decode() and encode() keep what they do not change byte for byte: an object whose owners did not change
// gets the same list back. Internal to the apply files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "json/field_set.hpp"

namespace fairway::json {

struct ManagedEntry {
  std::string manager;
  bool is_apply = false;
  std::string api_version;
  std::string subresource;
  std::optional<WallTime> time;
  FieldSet fields;
  // What `fields` were read from, in our own writing, and what they were then: written again while they are
  // the same.
  const Value* source = nullptr;
  FieldSet read = {};

  // What makes an entry the same one over time; also the order of entries in messages.
  std::string identifier() const;
  // As messages name it: "kubectl" using apps/v1, "x" with subresource "status".
  std::string described() const;
};

using ManagedFields = std::map<std::string, ManagedEntry>;  // by identifier

// From the value of metadata.managedFields, which has to stay; absent and null give none.
Result<ManagedFields> decode_managed(const Value* list);
// Sorted as the API does: Apply before Update, then by time, manager, version and subresource.
Array encode_managed(const ManagedFields& managed, const Storage& storage = {});

// Updates beyond the tenth manager are merged, oldest first, into one entry of "ancient-changes" a version.
void cap_update_managers(ManagedFields& managed, std::size_t limit = 10);

}  // namespace fairway::json
