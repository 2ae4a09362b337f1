#include "updateservice/refresher.hpp"

#include <fmt/format.h>
#include <utility>

#include "async/callback.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "updateservice/source_tree.hpp"

namespace fairway::updateservice {

namespace {

// A request that is not answered by then has been given up by its client.
constexpr Duration kRetirement = std::chrono::seconds(5);

}  // namespace

struct Refresher::Built {
  std::shared_ptr<const Snapshot> snapshot;
  graph::Findings alerts;
};

Refresher::Refresher(RefreshSettings settings, Parts parts)
    : settings_(settings),
      parts_(std::move(parts)),
      tasks_(parts_.executor),
      compressor_("compress", 1, async::WorkerPool::Urgency::Background) {}

Refresher::~Refresher() = default;

void Refresher::request() {
  is_wanted_ = true;
  wake_.notify();
}

Task<void> Refresher::run() {
  co_await start_from_kept();
  Result<void> ended;
  while (ended) {
    // The watch is made before the files are read, so that no change falls between.
    auto watched = make_watch();
    is_wanted_ = false;
    co_await refresh();
    if (watched) tasks_.spawn("watch", watch(std::move(watched)));
    ended = co_await wait_for_change();
  }
  compressing_.request_stop();
  co_await tasks_.stop();
  co_return ended;
}

Task<void> Refresher::wait_for_change() {
  const SteadyTime due = parts_.clock.steady() + settings_.interval;
  while (!is_wanted_) {
    auto woken = co_await wake_.wait_until(parts_.clock, due);
    if (!woken && woken.error().code == ErrorCode::Timeout) break;
    if (!woken) co_return woken;
  }
  co_return Result<void>{};
}

std::unique_ptr<async::FileWatch> Refresher::make_watch() {
  std::vector<std::string> paths = parts_.graph_data.watched();
  for (std::string& path : parts_.releases.watched()) paths.push_back(std::move(path));
  if (paths.empty()) return nullptr;
  auto watched = async::FileWatch::make(parts_.executor, paths);
  if (watched) return *std::move(watched);
  log::warning("changes are noticed only at the next refresh", {{"why", watched.error().describe()}});
  return nullptr;
}

Task<void> Refresher::watch(std::unique_ptr<async::FileWatch> watched) {
  FAIRWAY_CO_CHECKED(co_await watched->wait());
  FAIRWAY_CO_CHECKED(co_await async::sleep_for(parts_.clock, settings_.settle));
  request();
  co_return Result<void>{};
}

boost::asio::awaitable<void> Refresher::refresh() {
  const SteadyTime started = parts_.clock.steady();
  parts_.metrics.scrapes.add();
  const auto refreshed = co_await refresh_or_fail();
  if (!refreshed && refreshed.error().code == ErrorCode::Cancelled) co_return;
  if (!refreshed) {
    note_failure(refreshed.error());
  } else {
    note_success(started);
  }
}

// What an earlier run kept makes the service ready before any registry has answered.
boost::asio::awaitable<void> Refresher::start_from_kept() {
  if (!parts_.graph_data.is_remote() && !parts_.releases.is_remote()) co_return;
  auto data = co_await parts_.graph_data.load_kept();
  if (!data) co_return;
  auto releases = co_await parts_.releases.load_kept();
  if (!releases) co_return;
  const auto published = co_await build_and_publish({*std::move(data), *std::move(releases)});
  if (!published) co_return;
  // Its age cannot be told; it counts as fresh from now, and goes stale if no registry answers.
  status_.last_success = parts_.clock.now();
  status_.last_success_steady = parts_.clock.steady();
  log::info("started from what was kept",
            {{"graph_data", status_.graph_data}, {"releases", status_.releases}});
}

Task<Refresher::Inputs> Refresher::load() {
  Inputs inputs;
  FAIRWAY_CO_TRY(inputs.data, co_await parts_.graph_data.load());
  FAIRWAY_CO_TRY(inputs.releases, co_await parts_.releases.load());
  co_return inputs;
}

Result<Refresher::Built> Refresher::build(const Inputs& inputs, const RefreshSettings& settings,
                                          Origin origin, const Snapshot* previous) {
  const auto reading = graph::read_graph_data(inputs.data.files);
  if (!reading.data) return std::unexpected(graph::refusal(reading.findings));
  FAIRWAY_TRY(auto build, graph::build_graph(inputs.releases.list.releases, *reading.data, settings.build));
  Built built{
      .snapshot = Snapshot::make(std::move(build.graph), std::move(origin), settings.snapshot, previous),
      .alerts = std::move(build.alerts)};
  return built;
}

Task<void> Refresher::refresh_or_fail() {
  FAIRWAY_CO_TRY(Inputs inputs, co_await load());
  co_return co_await build_and_publish(std::move(inputs));
}

Task<void> Refresher::build_and_publish(Inputs inputs) {
  const std::string content = fmt::format("{} {}", inputs.data.tag, inputs.releases.tag);
  if (content == content_) co_return Result<void>{};
  Origin origin{.graph_data = fmt::format("{} at {}", parts_.graph_data.name(), inputs.data.revision),
                .releases = parts_.releases.name(),
                .loaded = parts_.clock.now()};
  const auto before = parts_.service.published();
  const Snapshot* previous = before ? before->snapshot.get() : nullptr;
  FAIRWAY_CO_TRY(Built built, co_await parts_.pool.run(
                                  [&] { return build(inputs, settings_, std::move(origin), previous); }));
  publish(std::move(built), inputs);
  content_ = content;
  co_return Result<void>{};
}

void Refresher::publish(Built built, const Inputs& inputs) {
  auto published = std::make_shared<Published>();
  published->snapshot = built.snapshot;
  published->graph_data = inputs.data.archive;
  published->graph_data_etag = inputs.data.etag();
  if (parts_.targeting) published->rules = parts_.targeting->adopt(built.snapshot->graph());
  const Rules rules = published->rules;
  tasks_.spawn("retire", retire(parts_.service.publish(std::move(published))));
  if (parts_.targeting) parts_.targeting->warm_up(rules);

  status_.graph_data = built.snapshot->origin().graph_data;
  status_.releases = built.snapshot->origin().releases;
  status_.release_count = inputs.releases.list.releases.size();
  status_.alerts.clear();
  for (const graph::Finding& alert : built.alerts) {
    status_.alerts.push_back(to_text(alert));
    log::warning("left out of the graph", {{"what", status_.alerts.back()}});
  }
  const auto nodes = built.snapshot->graph().nodes();
  parts_.metrics.raw_releases.set(static_cast<double>(inputs.releases.list.releases.size()));
  parts_.metrics.final_releases.set(static_cast<double>(
      std::ranges::count_if(nodes, [](const graph::Node& node) { return !node.is_abstract; })));
  parts_.metrics.channels.set(static_cast<double>(built.snapshot->graph().channels().size()));
  parts_.metrics.alerts.set(static_cast<double>(built.alerts.size()));
  parts_.metrics.body_bytes.set(static_cast<double>(built.snapshot->footprint()));
  if (!parts_.targeting && !built.snapshot->graph().targeted_rules().empty()) {
    log::warning(
        "graph data has blocks that are decided by a cluster's id, but no Prometheus is configured: they "
        "hold "
        "for nobody",
        {{"rules", std::to_string(built.snapshot->graph().targeted_rules().size())}});
  }
  compressing_.request_stop();
  compressing_ = std::stop_source();
  tasks_.spawn("compress", compress(std::move(built.snapshot), compressing_.get_token()));
}

Task<void> Refresher::compress(std::shared_ptr<const Snapshot> snapshot, std::stop_token stop) {
  co_await compressor_.run([snapshot, stop] {
    snapshot->compress(stop);
    return true;
  });
  if (!stop.stop_requested()) parts_.metrics.body_bytes.set(static_cast<double>(snapshot->footprint()));
  co_return Result<void>{};
}

Task<void> Refresher::retire(std::shared_ptr<const Published> old) {
  if (!old) co_return Result<void>{};
  const auto waited = co_await async::sleep_for(parts_.clock, kRetirement);
  co_await parts_.pool.run([old = std::exchange(old, nullptr)]() mutable {
    old.reset();
    release_free_memory();  // many reloads must not leave the process as large as its largest moment
    return true;
  });
  co_return waited;
}

void Refresher::note_success(SteadyTime started) {
  const SteadyTime now = parts_.clock.steady();
  const double seconds = std::chrono::duration<double>(now - started).count();
  if (has_refreshed_) {
    parts_.metrics.scrape_duration.observe(seconds);
  } else {
    parts_.metrics.first_scrape_duration.set(seconds);
  }
  if (!has_refreshed_ || status_.failure) {
    log::info("graph built", {{"graph_data", status_.graph_data},
                              {"releases", status_.releases},
                              {"seconds", fmt::format("{:.3f}", seconds)}});
  }
  has_refreshed_ = true;
  status_.last_success = parts_.clock.now();
  status_.last_success_steady = now;
  status_.failure.reset();
  parts_.metrics.graph_failing.set(0);
  parts_.metrics.last_refresh.set(
      std::chrono::duration<double>(status_.last_success->time_since_epoch()).count());
}

void Refresher::note_failure(const Error& error) {
  status_.failure = error.describe();
  parts_.metrics.scrape_errors.add();
  parts_.metrics.graph_failing.set(1);
  parts_.service.set_failure(*status_.failure);
  log::error(has_refreshed_ ? "refresh failed: the last good graph is served on"
                            : "refresh failed: there is no graph yet",
             {{"error", *status_.failure}});
}

}  // namespace fairway::updateservice
