// A query and each of its sub-expressions, asked of a Prometheus: why does this risk match there?
//
// All are asked for the same time. The verdict is on the answer to the whole query, in the words in which the
// cluster-version operator would give it. A sub-expression that the server would not answer has no value.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "promql/ast.hpp"
#include "promql/explain.hpp"
#include "promql/verdict.hpp"

namespace fairway::cli {

struct PrometheusSettings {
  std::string url = {};
  std::string token_file = {};
  std::string ca_file = {};
  Duration timeout = std::chrono::seconds(30);  // of one answer
};

struct PrometheusExplanation {
  promql::Verdict verdict;
  promql::ExplainedNode tree;
};

// Fails only where nothing can be asked: a bad URL, a file that cannot be read.
Result<PrometheusExplanation> explain_at(const PrometheusSettings& settings, const promql::Expr& query,
                                         WallTime at);

}  // namespace fairway::cli
