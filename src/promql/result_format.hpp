// A query's result for people and for programs: the lines that promtool prints, and the JSON of Prometheus'
// API.
#pragma once

#include <string>

#include "json/value.hpp"
#include "promql/evaluator.hpp"

namespace fairway::promql {

// `up{job="api"} => 1 @[1435781451.781]`, a line a sample; nothing for an empty result.
std::string to_text(const QueryResult& result);
// {"resultType": "vector", "result": […]}
json::Object to_json(const QueryResult& result);
// {"__name__": "up", "job": "api"}
json::Object to_json(const Labels& labels);
// [1435781451.781, "1"]
json::Array to_json(const Sample& sample);

}  // namespace fairway::promql
