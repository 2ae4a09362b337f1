// ObjectRewrite: the built-in step of a migration: objects in files of JSON or YAML get the apiVersion that
// the new software stores, and nothing else changes. Pure: texts in, texts out.
//
// A step is a YAML file in the folder of migrations:
//
//   rewrite: manifests            # a folder in the data
//   conversions:
//   - {from: apps/v1beta1, to: apps/v1, kind: Deployment}     # without kind: of every kind
//
// Repeating it changes nothing: an object that is new already is passed over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::device {

struct Conversion {
  std::string from = {};
  std::string to = {};
  std::string kind = {};  // "" for every kind
};

struct RewriteStep {
  std::string folder = {};
  std::vector<Conversion> conversions = {};

  static Result<RewriteStep> parse(const json::Object& object);
};

// By kind, for the report.
struct RewriteCount {
  std::uint64_t seen = 0;
  std::uint64_t changed = 0;
  std::uint64_t failed = 0;  // by an API server, which may refuse one
};
using RewriteReport = std::map<std::string, RewriteCount>;

// Whether a file of this name holds objects.
bool is_object_file(std::string_view name);
// The file's new text; nothing when no object in it changes. Lists are looked into.
Result<std::optional<std::string>> rewrite_objects(std::string_view name, std::string_view text,
                                                   const RewriteStep& step, RewriteReport& report);
// "Deployment: 2 of 3 changed, Widget: 4 of 5 changed, 1 failed"
std::string to_text(const RewriteReport& report);

}  // namespace fairway::device
