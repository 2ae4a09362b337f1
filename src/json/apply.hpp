// Server-side apply: merging what a manager applies into a live object, and keeping account of who owns what.
//
// apply() serves `kubectl apply --server-side`, track_update() every other write. Both are pure functions of
// their arguments, the time included, and follow the Kubernetes API server (structured-merge-diff v4 below
// it): messages, metadata.managedFields and the order of list items come out the same. A write that changes
// nothing gives back the very same managedFields, so that a no-op can be seen by comparing objects.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "json/field_set.hpp"
#include "json/schema.hpp"

namespace fairway::json {

// The schema of the object in another version of its API; null when that version is no longer served, whose
// managers are then forgotten.
using SchemaLookup = std::function<const Schema*(std::string_view api_version)>;

struct FieldWriter {
  std::string manager;           // the request's fieldManager
  std::string api_version;       // of the request: "apps/v1"
  std::string subresource = {};  // "status", or empty for the object itself
  WallTime now = {};
  const Schema* schema = nullptr;  // in the request's version
  SchemaLookup versions = {};      // without it, every version has the schema above
  // What the endpoint keeps as it is (status for the object itself, spec for its status): never owned here.
  FieldSet reset_fields = {};
};

struct Applied {
  Object object;  // merged, with its new managedFields; not yet defaulted
};

struct Conflict {
  std::string manager;  // as messages name it: "kubectl-client-side-apply" using apps/v1
  std::string field;    // .spec.replicas
};

// What a 409 with reason Conflict is made of; each conflict is a cause with reason FieldManagerConflict and
// message `conflict with ` followed by the manager.
struct ApplyConflicts {
  std::vector<Conflict> conflicts;

  std::string message()
      const;  // Apply failed with 1 conflict: conflict with "x" using apps/v1: .spec.replicas
};

using ApplyOutcome = std::variant<Applied, ApplyConflicts>;

// `live` is empty when the object does not exist yet. Without `force` nothing is taken from other managers.
// An error of code Invalid is the request's fault (400).
Result<ApplyOutcome> apply(const Object& live, const Object& patch, const FieldWriter& writer, bool force);

// Sets metadata.managedFields of `object`, about to be stored instead of `live` (empty for a create), by what
// the write changed. Never fails: when owners cannot be worked out, those of `live` stay. `live` is lent: it
// is afterwards as it was.
void track_update(Object& live, Object& object, const FieldWriter& writer);

// Copies without managedFields, the longest part of many an object: of the object, and of its metadata alone.
Object without_managed_fields(const Object& object);
Object metadata_without_managed_fields(const Object& metadata);

// The managers of an object that is sent with `managedFields: []` or `[{}]` start over.
bool resets_managed_fields(const Object& object);

}  // namespace fairway::json
