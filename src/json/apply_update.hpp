// The bookkeeping of owners: what a write takes from whom. Internal to the apply files.
//
// update_managers() is for writes whose result is known; apply_managers() makes the result too: it merges the
// patch, removes what the manager applied before and nobody else owns, and reports what other managers own.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "json/apply.hpp"
#include "json/apply_managed.hpp"
#include "json/apply_typed.hpp"

namespace fairway::json {

ManagedFields update_managers(const Value& before, const Value& after, ManagedFields managed,
                              const FieldWriter& writer);

struct OwnedConflict {
  std::string manager;  // as messages name it
  FieldSet fields;
};
using OwnedConflicts = std::map<std::string, OwnedConflict>;  // by the entry's identifier

struct MergeOutcome {
  std::optional<Object> object;  // empty when the patch changes nothing
  ManagedFields managed;
  OwnedConflicts conflicts;  // when there are any, the rest is as before
};

MergeOutcome apply_managers(const Object& live, const Object& patch, const ManagedFields& managed,
                            const FieldWriter& writer, bool force);

}  // namespace fairway::json
