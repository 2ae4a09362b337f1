// PromQL behind the functions that src/graph asks for: the lint of a query, and what it says about a cluster
// whose metrics were recorded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/lint.hpp"
#include "graph/verdict.hpp"

namespace fairway::cli {

std::vector<graph::QueryFinding> lint_query(std::string_view query, graph::QueryUse use);

// Metrics of one cluster, as its endpoint exposed them. Asked about a risk's query as the cluster itself
// would: what cannot be evaluated is Unknown.
class RecordedMetrics {
 public:
  // Samples without a time of their own count as taken at the same moment as the newest, or just now.
  static Result<RecordedMetrics> read(const std::string& path);
  RecordedMetrics(RecordedMetrics&&) noexcept;
  RecordedMetrics& operator=(RecordedMetrics&&) noexcept;
  ~RecordedMetrics();

  graph::RiskVerdict judge(std::string_view query) const;

 private:
  struct State;
  explicit RecordedMetrics(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fairway::cli
