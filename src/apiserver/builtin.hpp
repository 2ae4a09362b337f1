// The built-in API, as api/builtin describes it: parsed from the text in the binary once, on first use.
//
// Everything here lives until the process ends and is safe to read from any thread. catalog.hpp declares what
// most code needs (builtin_resources, builtin_definitions, product_crds); this header has the rest.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/catalog.hpp"

namespace fairway::apiserver {

// The files of api/builtin and api/crds as JSON texts, by their names relative to api/.
std::span<const std::pair<std::string_view, std::string_view>> embedded_files();

// What a subresource answers with, where that is not the resource's own kind.
struct SubresourceKind {
  std::string name;  // status, scale, token
  std::string group;
  std::string version;
  std::string kind;        // empty: the resource's own
  std::string definition;  // the name of its OpenAPI definition; empty with the kind
  std::vector<std::string> verbs;
};

const SubresourceKind& subresource_kind(std::string_view name);

// The definition under its dotted name; null when there is none.
const json::Object* builtin_definition(std::string_view name);

}  // namespace fairway::apiserver
