#include "updateservice/past_graphs.hpp"

#include <algorithm>

#include "graph/graph_data.hpp"

namespace fairway::updateservice {

PastGraphs::PastGraphs(GraphDataSource& graph_data, ReleaseSource& releases, async::WorkerPool& pool,
                       const graph::BuildOptions& build)
    : graph_data_(graph_data), releases_(releases), pool_(pool), build_(build) {}

Task<std::shared_ptr<const graph::Graph>> PastGraphs::at(std::string revision) {
  while (is_busy_) FAIRWAY_CO_CHECKED(co_await freed_.wait());
  is_busy_ = true;
  auto made = co_await make(revision);
  is_busy_ = false;
  freed_.notify();
  co_return made;
}

Task<std::shared_ptr<const graph::Graph>> PastGraphs::make(const std::string& revision) {
  FAIRWAY_CO_TRY(const GraphDataFiles data, co_await graph_data_.load_past(revision));
  FAIRWAY_CO_TRY(const LoadedReleases releases, co_await releases_.load_kept());
  const std::string content = data.tag + " " + releases.tag;
  const auto found = std::ranges::find(kept_, content, &Kept::content);
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    co_return kept_.front().graph;
  }
  FAIRWAY_CO_TRY(graph::Build built, co_await pool_.run([&]() -> Result<graph::Build> {
    const auto reading = graph::read_graph_data(data.files);
    if (!reading.data) return std::unexpected(graph::refusal(reading.findings));
    return graph::build_graph(releases.list.releases, *reading.data, build_);
  }));
  kept_.push_front({content, built.graph});
  if (kept_.size() > kMostKept) kept_.pop_back();
  co_return std::move(built.graph);
}

}  // namespace fairway::updateservice
