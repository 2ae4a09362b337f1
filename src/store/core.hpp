// Core: the inside of a Store, on the event loop.
//
// It holds the durable state, the ring, the heads (what the writes on their way will make of their keys) and
// the queue of writes that wait for their commit. The worker reports by jobs in the mailbox; each holds the
// core while it runs, so that a completion may close or destroy the store. Invariant: heads_ has exactly the
// keys of the changes in waiting_, each with the newest of them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "store/files.hpp"
#include "store/ring.hpp"
#include "store/store.hpp"
#include "store/worker.hpp"

namespace fairway::store {

// From any thread to the core: the job runs on the loop, if the core is still there.
class WayBack {
 public:
  WayBack(std::shared_ptr<Mailbox> mailbox, std::weak_ptr<Core> core)
      : mailbox_(std::move(mailbox)), core_(std::move(core)) {}
  void operator()(std::move_only_function<void(Core&)> job) const;

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::weak_ptr<Core> core_;
};

class Core : public std::enable_shared_from_this<Core> {
 public:
  template <class T>
  using Done = Store::Done<T>;

  static Result<std::shared_ptr<Core>> open(StoreOptions options);

  const State& state() const { return state_; }
  Revision revision() const { return stats_.revision; }
  Revision next_revision() const { return next_; }
  StoreStats stats() const;

  // core_write.cpp
  Head head(const Key& key) const;
  void submit(Write write, Store::Completion done);
  void settle(Done<void> done);

  // core_history.cpp
  void list_at(Revision revision, Query query, Done<Page> done);
  void changes_since(const Scope& scope, Revision since, Done<std::vector<ChangePtr>> done);
  Subscription subscribe(const Scope& scope, Revision since, Listener listener);

  // core.cpp
  void maintain();
  void compact(Revision up_to, Done<void> done);
  void backup(std::string path, Done<void> done);
  Result<void> close();

 private:
  // Something that was submitted: a write, or a rejection or settle() that waits for the writes before it.
  struct Waiting {
    ChangePtr change;
    std::optional<Error> rejection;
    Store::Completion done;
  };

  explicit Core(StoreOptions options);
  Result<void> start(std::unique_ptr<LogFile> log);
  WayBack way_back() { return {mailbox_, weak_from_this()}; }
  void later(std::move_only_function<void(Core&)> job);

  Result<ChangePtr> decide(Write write);
  Result<void> admit(const Write& write);
  void enqueue(Waiting waiting);
  void flush();
  void ask_for_revisions();
  void on_report(const Worker::CommitReport& report);
  void deliver();
  void apply(const ChangePtr& change);
  void fail_waiting(const Error& error);

  std::shared_ptr<Watch> start_watch(Watch watch);
  void advance(const std::shared_ptr<Watch>& watch);
  void read_log(const std::shared_ptr<Watch>& watch);
  void on_history(const std::shared_ptr<Watch>& watch, Result<HistoryBatch> batch);

  StoreOptions options_;
  DirectoryLock lock_;
  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<Watchers> watchers_;
  State state_;
  Ring ring_;
  Window window_;
  std::map<Key, ChangePtr> heads_;
  std::deque<Waiting> waiting_;
  std::vector<ChangePtr> staged_;  // submitted in this turn of the loop, not yet with the worker
  std::size_t durable_ = 0;        // how many of the waiting writes are durable but not yet delivered
  std::size_t waiting_writes_ = 0;
  std::size_t waiting_bytes_ = 0;
  Revision next_ = 1;
  Revision reserved_ = 0;  // on disk; nothing above it is handed out
  bool is_asking_for_revisions_ = false;
  bool is_compacting_ = false;
  bool is_closed_ = false;
  StoreStats stats_;
  std::shared_ptr<Worker> worker_;
};

}  // namespace fairway::store
