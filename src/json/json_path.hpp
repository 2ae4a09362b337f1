// JSONPath as Kubernetes uses it: the paths of printer columns and the simple forms of `kubectl -o jsonpath`.
//
//   .metadata.name   .metadata.labels['app.kubernetes.io/name']   .metadata.labels.kubernetes\.io/os
//   .spec.ports[0].port   .items[-1]   .items[1:3]   .items[*].metadata.name   .status.*
//   .status.conditions[?(@.type=="Ready")].status   [?(@.replicas>=2)]   [?(@.name)]
//
// With or without the braces of kubectl and a leading `$`. Compiled once, evaluated many times and from many
// threads. A step that finds nothing, or a value of another kind, gives nothing: never an error. Recursive
// descent, unions and the `range` of templates are not supported, and parse() says so.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::json {

class JsonPath {
 public:
  static Result<JsonPath> parse(std::string_view text);

  // The first value found, in document order; null when there is none. Points into `document`.
  const Value* first(const Value& document) const;
  std::vector<const Value*> all(const Value& document) const;
  // An Object would become a Value for the call only, and the result would point into nothing.
  const Value* first(const Object& document) const = delete;
  std::vector<const Value*> all(const Object& document) const = delete;
  // Everything found as kubectl prints it: texts bare, all else as JSON, separated by blanks.
  std::string text(const Value& document) const;

  struct Step;

 private:
  explicit JsonPath(std::vector<Step> steps);
  std::shared_ptr<const std::vector<Step>> steps_;
};

}  // namespace fairway::json
