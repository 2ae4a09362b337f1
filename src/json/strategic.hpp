// Strategic merge patch: a merge patch whose lists merge by key where the schema says so.
//
// The schema's patch strategy and merge key decide; directives in the patch ($patch, $retainKeys,
// $deleteFromPrimitiveList/x, $setElementOrder/x) are obeyed and never end up in the result. Behaves as
// apimachinery's strategicpatch does, its messages included. Only built-in kinds have such a schema; the API
// refuses this patch type for custom resources.
#pragma once

#include "json/schema.hpp"

namespace fairway::json {

// The patched object; an error of code Invalid says what the patch got wrong.
Result<Object> strategic_merge(const Schema& schema, Object original, Object patch);

}  // namespace fairway::json
