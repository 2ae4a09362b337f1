// Writing: deciding against the head, waiting for the commit, telling everybody.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/text.hpp"
#include "store/core.hpp"

namespace fairway::store {
namespace {

Result<void> judge(const Write& write, const EntryPtr& head) {
  const std::string name = quoted(describe(write.key));
  if (write.kind == ChangeKind::Created) {
    if (!head) return {};
    return fail(ErrorCode::AlreadyExists,
                fmt::format("{} already exists, at revision {}", name, head->revision));
  }
  if (!head) return fail(ErrorCode::NotFound, fmt::format("{} does not exist", name));
  if (write.expected == 0 || write.expected == head->revision) return {};
  return fail(ErrorCode::Conflict, fmt::format("expected {} at revision {}, found it at {}: read it again",
                                               name, write.expected, head->revision));
}

}  // namespace

Head Core::head(const Key& key) const {
  const auto pending = heads_.find(key);
  if (pending == heads_.end()) return {.entry = state_.get(key), .is_durable = true};
  const Change& change = *pending->second;
  return {.entry = change.kind == ChangeKind::Deleted ? nullptr : change.now, .is_durable = false};
}

Result<void> Core::admit(const Write& write) {
  if (is_closed_) return fail(ErrorCode::Unavailable, "the store is closed");
  const std::size_t bytes = write.value ? write.value->size() : 0;
  if (waiting_writes_ >= options_.max_waiting_writes || waiting_bytes_ + bytes > options_.max_waiting_bytes)
    return fail(ErrorCode::Unavailable,
                fmt::format("{} writes are waiting for the disk already: try again later", waiting_writes_));
  if (next_ <= reserved_) return {};
  ask_for_revisions();
  return fail(ErrorCode::Unavailable,
              "no revision can be handed out before more are reserved on disk: try again later");
}

Result<ChangePtr> Core::decide(Write write) {
  FAIRWAY_CHECKED(admit(write));
  FAIRWAY_CHECK(write.revision == 0 || write.revision == next_,
                "a write was built for a revision that another write has taken since");
  const EntryPtr before = head(write.key).entry;
  FAIRWAY_CHECKED(judge(write, before));
  const bool is_deletion = write.kind == ChangeKind::Deleted;
  if (is_deletion && !write.value) write.value = before->value;
  if (is_deletion) write.labels = before->labels;
  FAIRWAY_CHECK(write.value != nullptr, "a write has no value");
  const Revision revision = next_++;
  auto now =
      std::make_shared<const Entry>(Entry{.key = std::move(write.key),
                                          .revision = revision,
                                          .create_revision = before ? before->create_revision : revision,
                                          .value = std::move(write.value),
                                          .labels = std::move(write.labels)});
  return std::make_shared<const Change>(Change{write.kind, revision, std::move(now), before});
}

void Core::submit(Write write, Store::Completion done) {
  Result<ChangePtr> decided = decide(std::move(write));
  if (!decided)
    return enqueue({.change = nullptr, .rejection = std::move(decided).error(), .done = std::move(done)});
  const ChangePtr& change = *decided;
  heads_[change->now->key] = change;
  ++waiting_writes_;
  waiting_bytes_ += change->now->value->size();
  // Handed over at the end of the loop's turn: whatever else is submitted until then shares the commit.
  staged_.push_back(change);
  if (staged_.size() == 1) later([](Core& core) { core.flush(); });
  enqueue({.change = change, .rejection = std::nullopt, .done = std::move(done)});
}

void Core::settle(Done<void> done) {
  enqueue({.change = nullptr,
           .rejection = std::nullopt,
           .done = [done = std::move(done)](const Result<ChangePtr>& settled) mutable {
             done(settled ? Result<void>() : std::unexpected(settled.error()));
           }});
}

void Core::enqueue(Waiting waiting) {
  waiting_.push_back(std::move(waiting));
  // A write is delivered by its commit's report, and what waits behind it too.
  if (waiting_.size() == 1 && !waiting_.front().change) later([](Core& core) { core.deliver(); });
}

void Core::flush() {
  if (!staged_.empty()) worker_->write(std::exchange(staged_, {}));
}

void Core::ask_for_revisions() {
  if (std::exchange(is_asking_for_revisions_, true)) return;
  worker_->run([back = way_back(), newest = next_ - 1](LogFile& log, bool) {
    // A failure shows in reserved(), and the next write asks again.
    static_cast<void>(log.reserve_beyond(newest));
    back([reserved = log.reserved()](Core& core) {
      core.is_asking_for_revisions_ = false;
      core.reserved_ = std::max(core.reserved_, reserved);
    });
    return true;
  });
}

void Core::on_report(const Worker::CommitReport& report) {
  reserved_ = std::max(reserved_, report.reserved);
  stats_.file_bytes = report.file_bytes;
  if (!report.durable) return fail_waiting(report.durable.error());
  ++stats_.commits;
  stats_.committed_writes += *report.durable;
  durable_ += *report.durable;
  deliver();
  maintain();
}

void Core::deliver() {
  while (!waiting_.empty()) {
    if (waiting_.front().change && durable_ == 0) return;
    // Out of the queue first: the completion may submit, and may close the store.
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next.change) {
      --durable_;
      apply(next.change);
    }
    next.done(next.rejection ? Result<ChangePtr>(std::unexpected(*std::move(next.rejection))) : next.change);
  }
}

void Core::apply(const ChangePtr& change) {
  --waiting_writes_;
  waiting_bytes_ -= change->now->value->size();
  const auto head = heads_.find(change->now->key);
  if (head->second == change) heads_.erase(head);
  state_.apply(*change);
  ring_.push(change);
  window_.note(change->revision, options_.clock.steady());
  stats_.revision = change->revision;
  watchers_->dispatch(change);
}

void Core::fail_waiting(const Error& error) {
  ++stats_.failed_commits;
  std::deque<Waiting> failed = std::exchange(waiting_, {});
  heads_.clear();
  staged_.clear();
  waiting_writes_ = waiting_bytes_ = 0;
  worker_->resume();
  const Error unavailable{
      ErrorCode::Unavailable,
      fmt::format("the write could not be made durable: {}: try again", error.describe())};
  for (Waiting& waiting : failed) waiting.done(std::unexpected(unavailable));
}

}  // namespace fairway::store
