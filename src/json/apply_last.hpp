// The bridge from client-side apply: what `kubectl apply` left in its annotation lets `kubectl apply
// --server-side` take those fields over without a conflict, and keeps the annotation up to date after. Only
// the manager "kubectl" does so. Internal to the apply files.
#pragma once

#include "json/apply_update.hpp"

namespace fairway::json {

inline constexpr std::string_view kClientSideManager = "kubectl";

// The fields of the last applied configuration that the live object still has unchanged; empty without one.
FieldSet allowed_by_last_applied(const Object& live, const FieldWriter& writer);

// Removes conflicts over allowed fields.
void drop_conflicts(OwnedConflicts& conflicts, const FieldSet& allowed);

// Writes the patch into the annotation, where the object has one.
void refresh_last_applied(Object& object, const Object& patch);

}  // namespace fairway::json
