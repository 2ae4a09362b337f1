// Cells: the values that tables show of an object, as kube-apiserver shows them.
//
// Those of built-in kinds are computed by functions that api/builtin/resources.yaml names and describes;
// those of custom resources come from a path and the type of their column. Pure; a cell never fails, a
// missing value shows as nothing, `<none>` or `<unknown>`, whichever Kubernetes shows.
#pragma once

#include <string_view>

#include "apiserver/catalog.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

namespace fairway::apiserver {

struct CellInput {
  const json::Value& document;  // always an object
  const PrinterColumn& column;
  WallTime now;

  const json::Object& object() const { return document.get_object(); }
};

using Cell = json::Value (*)(const CellInput& input);

// The cell that a column of a built-in kind names; null when there is none of that name.
Cell find_cell(std::string_view name);
// A column of a built-in kind that is only a path.
json::Value plain_cell(const CellInput& input);
// A column of a custom resource.
json::Value custom_cell(const CellInput& input);

// Time since then, in kubectl's short form; `<unknown>` when not known.
std::string age_text(std::optional<WallTime> since, WallTime now);

}  // namespace fairway::apiserver
