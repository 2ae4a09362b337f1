// LogFile: the revision log on disk, one SQLite file, used by one thread at a time.
//
// Each write is one appended row; a row names the revision that it supersedes, and that is the only index.
// From it follow the current state (rows that nothing supersedes), the history (rows in order, each with the
// row before) and compaction (what a row at or below the compacted revision supersedes is dropped). append()
// returns after the commit is durable. After any error the file holds what it held before.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/sqlite.hpp"
#include "store/types.hpp"

namespace fairway::store {

struct Row;

struct LogOptions {
  std::string path;  // ":memory:" for none
  std::string vfs;   // empty: the operating system's files
  std::uint32_t page_bytes = 8192;
  // The write-ahead log goes back into the file at the first size when nothing waits, at the second in any
  // case.
  std::uint64_t idle_checkpoint_bytes = 4 << 20;
  std::uint64_t forced_checkpoint_bytes = 16 << 20;
  // Revisions are reserved on disk this many at a time before they are handed out.
  std::uint64_t reserve_block = 16'384;
  // A file up to this size has its pages checked at every start.
  std::uint64_t quick_check_bytes = 64 << 20;
};

// A point in the history: the change with this revision has so many newer ones.
struct HistoryMark {
  Revision revision = 0;
  std::uint64_t newer = 0;
};

struct LoadedLog {
  std::vector<EntryPtr> entries;   // the current state, newest first
  Revision revision = 0;           // of the last change
  std::vector<HistoryMark> marks;  // newest first
};

struct HistoryRequest {
  Scope scope;
  Revision since = 0;
  Revision until = 0;
};

struct HistoryBatch {
  std::vector<ChangePtr> changes;
  Revision through = 0;  // everything in the scope up to here has been returned
};

class LogFile {
 public:
  static Result<std::unique_ptr<LogFile>> open(const LogOptions& options);
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Reads the current state and checks that the rows fit together.
  Result<LoadedLog> load();

  Result<void> append(std::span<const ChangePtr> changes);
  // No revision up to here will be handed out again after a restart.
  Revision reserved() const { return reserved_; }
  // Reserves a block beyond the revision.
  Result<void> reserve_beyond(Revision revision);

  // A bounded part of the changes in (since, until]; Gone where that is no longer kept.
  Result<HistoryBatch> read(const HistoryRequest& request);

  // One bounded step; true when the history up to `target` is dropped.
  Result<bool> compact(Revision target);
  Revision compacted() const { return compacted_; }
  // One bounded step of handing free pages back to the file system; true when there is nothing worth it.
  Result<bool> give_back_space();
  Result<void> checkpoint_if_due(bool is_idle);

  // Gives back the reserved revisions that were never handed out, and closes the file.
  Result<void> close(Revision handed_out);
  std::uint64_t file_bytes() const { return file_bytes_; }
  Database& database() { return database_; }

 private:
  explicit LogFile(const LogOptions& options) : options_(options) {}
  Result<void> prepare_statements();
  Result<void> read_meta();
  Result<void> write_meta(std::string_view name, std::uint64_t value);
  Result<void> insert(const Change& change);
  Result<void> check_tail();
  Result<void> restart_after_restore();
  Result<EntryPtr> entry_at(Revision revision);
  Result<std::vector<ChangePtr>> with_predecessors(std::span<const Row> rows);
  Result<void> release_reserve(Revision handed_out);
  Result<void> update_file_bytes();
  Result<void> relax_sync();
  // Before every commit that somebody is told about.
  Result<void> require_sync();

  LogOptions options_;
  Database database_;
  Statement insert_;
  Statement set_meta_;
  Statement range_;
  Statement one_;
  Statement superseded_;
  Statement remove_;
  Revision last_ = 0;  // of the newest row, or the compacted revision
  Revision reserved_ = 0;
  Revision compacted_ = 0;
  std::uint64_t wal_pages_ = 0;
  std::uint64_t file_bytes_ = 0;
  bool is_suspect_ = false;  // a commit failed since the rows were last looked at
  bool is_relaxed_ = false;  // commits wait for a later one to become durable
  bool checkpoint_failed_ = false;
};

}  // namespace fairway::store
