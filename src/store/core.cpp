#include "store/core.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "store/log_backup.hpp"
#include "store/log_format.hpp"

namespace fairway::store {
namespace {

Error closing() {
  return Error{ErrorCode::Cancelled, "the store is closing"};
}

// The steps of one compaction: first the rows, then the space that they leave.
class Compaction {
 public:
  explicit Compaction(Revision target) : target_(target) {}

  Result<bool> step(LogFile& log) {
    if (has_dropped_) return log.give_back_space();
    FAIRWAY_TRY(has_dropped_, log.compact(target_));
    return false;
  }

 private:
  Revision target_;
  bool has_dropped_ = false;
};

Result<void> prepare_directory(const std::string& directory, DirectoryLock& lock) {
  FAIRWAY_CHECKED(make_private_directory(directory));
  FAIRWAY_TRY(lock, DirectoryLock::take(directory));
  FAIRWAY_CHECKED(make_private_file(store_file(directory)));
  return sync_to_disk(directory);
}

}  // namespace

Core::Core(StoreOptions options)
    : options_(std::move(options)),
      mailbox_(std::make_shared<Mailbox>(options_.post)),
      watchers_(std::make_shared<Watchers>()),
      ring_(options_.ring_changes, options_.ring_bytes),
      window_(options_.history) {}

Result<std::shared_ptr<Core>> Core::open(StoreOptions options) {
  std::shared_ptr<Core> core(new Core(std::move(options)));
  const std::string& directory = core->options_.directory;
  const auto attempt = [&]() -> Result<void> {
    LogOptions log = core->options_.log;
    log.path = directory.empty() ? ":memory:" : store_file(directory);
    if (!directory.empty()) FAIRWAY_CHECKED(prepare_directory(directory, core->lock_));
    FAIRWAY_TRY(std::unique_ptr<LogFile> file, LogFile::open(log));
    return core->start(std::move(file));
  };
  if (Result<void> opened = attempt(); !opened)
    return std::unexpected(
        std::move(opened).error().within(fmt::format("opening the store {}", quoted(directory))));
  return core;
}

Result<void> Core::start(std::unique_ptr<LogFile> log) {
  FAIRWAY_TRY(LoadedLog loaded, log->load());
  for (EntryPtr& entry : loaded.entries) {
    std::string name = describe(entry->key);
    if (!state_.insert(std::move(entry)))
      return std::unexpected(damaged(fmt::format("{} has two current rows", quoted(name))));
  }
  next_ = log->reserved() + 1;
  FAIRWAY_CHECKED(log->reserve_beyond(log->reserved()));
  reserved_ = log->reserved();
  stats_ = {.revision = loaded.revision, .compacted = log->compacted(), .file_bytes = log->file_bytes()};
  ring_.restart(loaded.revision);
  window_.start(loaded.marks, loaded.revision, options_.clock.steady());
  const auto place = options_.directory.empty() ? Worker::Place::EventLoop : Worker::Place::OwnThread;
  worker_ = std::make_shared<Worker>(
      std::move(log), place, mailbox_, [back = way_back()](Worker::CommitReport report) {
        back([report = std::move(report)](Core& core) { core.on_report(report); });
      });
  return {};
}

void WayBack::operator()(std::move_only_function<void(Core&)> job) const {
  mailbox_->push([core = core_, job = std::move(job)]() mutable {
    if (const auto alive = core.lock()) job(*alive);
  });
}

void Core::later(std::move_only_function<void(Core&)> job) {
  way_back()(std::move(job));
}

StoreStats Core::stats() const {
  StoreStats stats = stats_;
  stats.objects = state_.size();
  stats.waiting_writes = waiting_writes_;
  stats.watches = watchers_->size();
  stats.ring_changes = ring_.size();
  stats.ring_bytes = ring_.bytes();
  return stats;
}

void Core::maintain() {
  if (is_closed_ || is_compacting_) return;
  const std::optional<Revision> due = window_.take_due(options_.clock.steady());
  if (!due || *due <= stats_.compacted) return;
  is_compacting_ = true;
  compact(*due, [core = weak_from_this()](const Result<void>& compacted) {
    if (!compacted && compacted.error().code != ErrorCode::Cancelled)
      log::warning("compaction failed", {{"error", compacted.error().describe()}});
    const auto alive = core.lock();
    if (!alive) return;
    alive->is_compacting_ = false;
    alive->maintain();  // more may have become due meanwhile
  });
}

void Core::compact(Revision up_to, Done<void> done) {
  auto finish = [back = way_back(), done = std::move(done)](Result<void> result, Revision compacted) mutable {
    back([done = std::move(done), result = std::move(result), compacted](Core& core) mutable {
      core.stats_.compacted = std::max(core.stats_.compacted, compacted);
      done(std::move(result));
    });
  };
  if (is_closed_) return finish(std::unexpected(closing()), 0);
  worker_->run([compaction = Compaction(std::min(up_to, stats_.revision)), finish = std::move(finish)](
                   LogFile& log, bool is_stopping) mutable {
    const Result<bool> step = is_stopping ? Result<bool>(std::unexpected(closing())) : compaction.step(log);
    if (step && !*step) return false;
    finish(step ? Result<void>() : std::unexpected(step.error()), log.compacted());
    return true;
  });
}

void Core::backup(std::string path, Done<void> done) {
  auto finish = [back = way_back(), done = std::move(done)](Result<void> result) mutable {
    back([done = std::move(done), result = std::move(result)](Core&) mutable { done(std::move(result)); });
  };
  if (is_closed_) return finish(std::unexpected(closing()));
  if (!options_.directory.empty() && is_same_file(path, store_file(options_.directory)))
    return finish(
        fail(ErrorCode::Invalid,
             fmt::format("expected a new file for the backup, found {}, the store itself", quoted(path))));
  worker_->run([path = std::move(path), backup = std::optional<Backup>(), finish = std::move(finish)](
                   LogFile& log, bool is_stopping) mutable {
    const auto step = [&]() -> Result<bool> {
      if (is_stopping) return std::unexpected(closing());
      if (!backup) {
        FAIRWAY_TRY(Backup started, Backup::start(log.database(), path));
        backup.emplace(std::move(started));
      }
      return backup->step();
    };
    const Result<bool> stepped = step();
    if (stepped && !*stepped) return false;
    backup.reset();
    finish(stepped ? Result<void>() : std::unexpected(stepped.error()));
    return true;
  });
}

Result<void> Core::close() {
  if (std::exchange(is_closed_, true)) return {};
  const std::shared_ptr<Core> alive = shared_from_this();
  flush();
  Result<void> closed = worker_->stop(next_ - 1);
  mailbox_->drain();
  watchers_->end(closing());
  mailbox_->drain();
  lock_ = DirectoryLock();
  return closed;
}

}  // namespace fairway::store
