// Explain: the value of every sub-expression of a query, as a tree. Why does this risk match here?
//
// The query is evaluated once; each node of the tree carries what it gave. Below a subquery that is the value
// at the subquery's last step. Large values are cut, and the tree says how many series there were.
#pragma once

#include <string>
#include <vector>

#include "json/value.hpp"
#include "promql/evaluator.hpp"

namespace fairway::promql {

struct ExplainedNode {
  std::string expr;  // canonical
  ValueType type = ValueType::None;
  std::vector<ResultSeries> series;  // the first few, each with its last sample; a scalar has no labels
  std::size_t series_count = 0;
  std::size_t sample_count = 0;  // of a range vector
  bool is_evaluated = false;     // texts, and what an error kept from being reached, are not
  std::vector<ExplainedNode> children;
};

struct Explanation {
  Result<QueryResult> result;
  ExplainedNode tree;
};

struct ExplainOptions {
  EvalOptions eval = {};
  std::size_t max_series = 10;  // shown of each node
};

Explanation explain(const Expr& expr, const Source& source, Millis at, const ExplainOptions& options = {});

std::string to_text(const ExplainedNode& tree);
json::Object to_json(const ExplainedNode& tree);

}  // namespace fairway::promql
