// PastGraphs: graphs as of earlier revisions of the graph data, with today's releases.
//
// Making one takes a part of a second; the last few are remembered. One is made at a time, however many ask.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "async/worker_pool.hpp"
#include "graph/builder.hpp"
#include "updateservice/graph_data_source.hpp"
#include "updateservice/release_source.hpp"

namespace fairway::updateservice {

class PastGraphs {
 public:
  // All outlive it.
  PastGraphs(GraphDataSource& graph_data, ReleaseSource& releases, async::WorkerPool& pool,
             const graph::BuildOptions& build);

  Task<std::shared_ptr<const graph::Graph>> at(std::string revision);
  static constexpr std::size_t kMostKept = 4;

 private:
  Task<std::shared_ptr<const graph::Graph>> make(const std::string& revision);

  struct Kept {
    std::string content;  // names graph data and releases
    std::shared_ptr<const graph::Graph> graph;
  };

  GraphDataSource& graph_data_;
  ReleaseSource& releases_;
  async::WorkerPool& pool_;
  graph::BuildOptions build_;
  std::list<Kept> kept_;  // the last used first
  bool is_busy_ = false;
  async::Notify freed_;
};

}  // namespace fairway::updateservice
