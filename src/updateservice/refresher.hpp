// Refresher: keeps what is published up to date with its sources.
//
// Loads, builds, publishes; then waits for a change of the files, for the interval, or to be asked. What
// fails changes nothing but the status: the last good graph is served on. A load that brings nothing new is a
// success and builds nothing. Lives on the control loop; building and compressing happen on workers.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "async/file_watch.hpp"
#include "async/notify.hpp"
#include "async/task.hpp"
#include "async/task_group.hpp"
#include "async/worker_pool.hpp"
#include "base/clock.hpp"
#include "graph/builder.hpp"
#include "updateservice/graph_data_source.hpp"
#include "updateservice/release_source.hpp"
#include "updateservice/service.hpp"

namespace fairway::updateservice {

struct RefreshSettings {
  Duration interval = std::chrono::minutes(5);
  // A tree is written file by file: so long after the first change it is read. Changes while it is read are
  // noticed and lead to another refresh.
  Duration settle = std::chrono::milliseconds(150);
  graph::BuildOptions build = {};
  SnapshotOptions snapshot = {};
};

struct RefreshStatus {
  std::optional<WallTime> last_success = {};
  std::optional<SteadyTime> last_success_steady = {};
  std::optional<std::string> failure = {};  // of the last refresh
  std::string graph_data = {};              // "./graph-data at 4f2c9a1"
  std::string releases = {};
  std::size_t release_count = 0;
  std::vector<std::string> alerts = {};  // what was left out of the graph
};

class Refresher {
 public:
  struct Parts {  // all outlive the refresher
    boost::asio::any_io_executor executor;
    TimerClock& clock;
    async::WorkerPool& pool;
    Service& service;
    ServiceMetrics& metrics;
    Targeting* targeting = nullptr;
    GraphDataSource& graph_data;
    ReleaseSource& releases;
  };

  Refresher(RefreshSettings settings, Parts parts);
  ~Refresher();

  // Until it is cancelled. The first refresh happens at once.
  Task<void> run();
  // As soon as possible; SIGHUP.
  void request();
  const RefreshStatus& status() const { return status_; }

 private:
  struct Built;
  struct Inputs {
    GraphDataFiles data;
    LoadedReleases releases;
  };

  Task<void> wait_for_change();
  Task<void> watch(std::unique_ptr<async::FileWatch> watched);
  std::unique_ptr<async::FileWatch> make_watch();
  boost::asio::awaitable<void> refresh();
  boost::asio::awaitable<void> start_from_kept();
  Task<void> refresh_or_fail();
  Task<void> build_and_publish(Inputs inputs);
  Task<Inputs> load();
  static Result<Built> build(const Inputs& inputs, const RefreshSettings& settings, Origin origin,
                             const Snapshot* previous);
  void publish(Built built, const Inputs& inputs);
  void note_success(SteadyTime started);
  void note_failure(const Error& error);
  Task<void> compress(std::shared_ptr<const Snapshot> snapshot, std::stop_token stop);
  // Lets go of what was published before, on a worker, when no request can have it any more.
  Task<void> retire(std::shared_ptr<const Published> old);

  RefreshSettings settings_;
  Parts parts_;
  async::TaskGroup tasks_;
  async::WorkerPool compressor_;  // one thread: a body is compressed once
  std::stop_source compressing_;
  async::Notify wake_;
  bool is_wanted_ = true;
  bool has_refreshed_ = false;
  std::string content_;  // names what was built last
  RefreshStatus status_;
};

}  // namespace fairway::updateservice
