// Routes: which endpoint a path means. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::updateservice {

enum class Endpoint {
  Unknown,
  Graph,
  OpenApi,
  GraphData,
  Signatures,
  Channels,
  Explain,
  Path,
  Diff,
  AsOf,
  Revisions,
};

// "//a/b//" → "/a/b"; empty and "/" → "". Invalid when it has what a path cannot have.
Result<std::string> normalise_prefix(std::string_view text);

struct Route {
  Endpoint endpoint = Endpoint::Unknown;
  std::string_view rest = {};   // of Signatures: what follows "/signatures/"
  std::string_view label = {};  // for metrics: the path without the prefix; a literal
};

// The endpoints lie below the prefix, /graph and /openapi also below its /v1.
Route find_route(std::string_view path, std::string_view prefix);

}  // namespace fairway::updateservice
