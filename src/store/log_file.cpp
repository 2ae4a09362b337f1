#include "store/log_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unordered_map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "store/log_format.hpp"

namespace fairway::store {
namespace {

// Bounds of one reading step: how long a group of writes may wait behind it.
constexpr std::size_t kMaxRowsScanned = 4096;
constexpr std::size_t kMaxBytesRead = 4 << 20;

int note_wal_pages(void* wal_pages, sqlite3*, const char*, int pages) {
  *static_cast<std::uint64_t*>(wal_pages) = static_cast<std::uint64_t>(pages);
  return SQLITE_OK;
}

}  // namespace

Result<std::unique_ptr<LogFile>> LogFile::open(const LogOptions& options) {
  std::unique_ptr<LogFile> log(new LogFile(options));
  FAIRWAY_TRY(log->database_, Database::open(options.path, Database::Mode::Create, options.vfs));
  FAIRWAY_CHECKED(open_format(log->database_, options.page_bytes));
  // Also turns SQLite's own checkpoints off: they would run inside a commit.
  sqlite3_wal_hook(log->database_.handle(), note_wal_pages, &log->wal_pages_);
  FAIRWAY_CHECKED(log->prepare_statements());
  FAIRWAY_CHECKED(log->read_meta());
  FAIRWAY_CHECKED(log->update_file_bytes());
  return log;
}

Result<void> LogFile::prepare_statements() {
  FAIRWAY_TRY(insert_,
              database_.prepare("INSERT INTO log(" FAIRWAY_STORE_ROW ") VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
  FAIRWAY_TRY(set_meta_, database_.prepare("UPDATE meta SET value = ? WHERE name = ?"));
  FAIRWAY_TRY(range_, database_.prepare("SELECT " FAIRWAY_STORE_ROW
                                        " FROM log WHERE revision > ? AND revision <= ? ORDER BY revision"));
  FAIRWAY_TRY(one_, database_.prepare("SELECT " FAIRWAY_STORE_ROW " FROM log WHERE revision = ?"));
  FAIRWAY_TRY(superseded_,
              database_.prepare("SELECT revision, previous, kind FROM log "
                                "WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?"));
  FAIRWAY_TRY(remove_, database_.prepare("DELETE FROM log WHERE revision = ?"));
  return {};
}

Result<void> LogFile::read_meta() {
  FAIRWAY_TRY(Statement meta, database_.prepare("SELECT value FROM meta WHERE name = ?"));
  const auto read = [&meta](std::string_view name) -> Result<std::uint64_t> {
    const StatementScope scope(meta.bind(1, name));
    FAIRWAY_TRY(const bool has_row, meta.step());
    if (!has_row)
      return std::unexpected(damaged(fmt::format("{} is missing from its meta table", quoted(name))));
    return meta.number(0);
  };
  FAIRWAY_TRY(reserved_, read(kReserved));
  FAIRWAY_TRY(compacted_, read(kCompacted));
  FAIRWAY_TRY(const std::uint64_t newest, database_.number("SELECT ifnull(max(revision), 0) FROM log"));
  last_ = std::max(newest, compacted_);
  if (last_ > reserved_)
    return std::unexpected(damaged(
        fmt::format("it holds revision {} but says that none above {} was handed out", last_, reserved_)));
  FAIRWAY_TRY(const std::uint64_t is_restored, read(kRestored));
  return is_restored != 0 ? restart_after_restore() : Result<void>();
}

Result<void> LogFile::write_meta(std::string_view name, std::uint64_t value) {
  return set_meta_.bind(1, value).bind(2, name).run();
}

Result<void> LogFile::insert(const Change& change) {
  const Entry& entry = *change.now;
  const Revision previous = change.before ? change.before->revision : 0;
  const std::string labels = encode_labels(entry.labels);
  insert_.bind(1 + column::kRevision, entry.revision)
      .bind(1 + column::kPrevious, previous)
      .bind(1 + column::kCreated, entry.create_revision)
      .bind(1 + column::kKind, static_cast<std::uint64_t>(change.kind))
      .bind(1 + column::kSum, std::uint64_t{sum_of(entry, change.kind, previous)})
      .bind(1 + column::kCluster, entry.key.cluster)
      .bind(1 + column::kResource, entry.key.resource)
      .bind(1 + column::kNs, entry.key.ns)
      .bind(1 + column::kName, entry.key.name)
      .bind_bytes(1 + column::kLabels, labels)
      .bind(1 + column::kValue, *entry.value);
  return insert_.run();
}

// A commit that reported an error must not have happened: the writers were told so.
Result<void> LogFile::check_tail() {
  FAIRWAY_TRY(const std::uint64_t newest, database_.number("SELECT ifnull(max(revision), 0) FROM log"));
  if (newest > last_)
    return fail(
        ErrorCode::Unavailable,
        fmt::format("a commit that failed has left revision {} behind, expected none above {}: restart to "
                    "read the store again",
                    newest, last_));
  is_suspect_ = false;
  return {};
}

Result<void> LogFile::append(std::span<const ChangePtr> changes) {
  FAIRWAY_CHECKED(require_sync());
  if (is_suspect_) FAIRWAY_CHECKED(check_tail());
  const Revision newest = changes.back()->revision;
  const bool needs_reserve = reserved_ < newest + options_.reserve_block / 2;
  const Revision reserved = needs_reserve ? newest + options_.reserve_block : reserved_;
  is_suspect_ = true;
  FAIRWAY_TRY(Transaction transaction, Transaction::begin(database_));
  for (const ChangePtr& change : changes) FAIRWAY_CHECKED(insert(*change));
  if (needs_reserve) FAIRWAY_CHECKED(write_meta(kReserved, reserved));
  FAIRWAY_CHECKED(transaction.commit());
  is_suspect_ = false;
  last_ = newest;
  reserved_ = reserved;
  return {};
}

Result<void> LogFile::reserve_beyond(Revision revision) {
  const Revision reserved = revision + options_.reserve_block;
  if (reserved <= reserved_) return {};
  FAIRWAY_CHECKED(require_sync());
  FAIRWAY_TRY(Transaction transaction, Transaction::begin(database_));
  FAIRWAY_CHECKED(write_meta(kReserved, reserved));
  FAIRWAY_CHECKED(transaction.commit());
  reserved_ = reserved;
  return {};
}

Result<EntryPtr> LogFile::entry_at(Revision revision) {
  const StatementScope scope(one_.bind(1, revision));
  FAIRWAY_TRY(const bool has_row, one_.step());
  if (!has_row) return std::unexpected(damaged(fmt::format("row {} is missing", revision)));
  FAIRWAY_TRY(Row row, read_row(one_));
  return row.entry;
}

Result<HistoryBatch> LogFile::read(const HistoryRequest& request) {
  if (request.since < compacted_)
    return fail(ErrorCode::Gone,
                fmt::format("changes since revision {} are no longer kept, the oldest that can be "
                            "asked for is {}: list again",
                            request.since, compacted_));
  HistoryBatch batch{.changes = {}, .through = request.until};
  std::vector<Row> rows;
  std::size_t scanned = 0;
  std::size_t bytes = 0;
  {
    const StatementScope scope(range_.bind(1, request.since).bind(2, request.until));
    for (;;) {
      FAIRWAY_TRY(const bool has_row, range_.step());
      if (!has_row) break;
      if (is_in_scope(range_, request.scope)) {
        FAIRWAY_TRY(Row row, read_row(range_));
        bytes += row.entry->value->size();
        rows.push_back(std::move(row));
      }
      if (++scanned < kMaxRowsScanned && bytes < kMaxBytesRead) continue;
      batch.through = range_.number(column::kRevision);
      break;
    }
  }
  FAIRWAY_TRY(batch.changes, with_predecessors(rows));
  return batch;
}

Result<std::vector<ChangePtr>> LogFile::with_predecessors(std::span<const Row> rows) {
  std::vector<ChangePtr> changes;
  std::unordered_map<Revision, EntryPtr> unsuperseded;  // among the rows so far
  for (const Row& row : rows) {
    EntryPtr before;
    if (const auto earlier = unsuperseded.extract(row.previous)) {
      before = earlier.mapped();
    } else if (row.previous != 0) {
      FAIRWAY_TRY(before, entry_at(row.previous));
    }
    changes.push_back(
        std::make_shared<const Change>(Change{row.kind, row.entry->revision, row.entry, std::move(before)}));
    unsuperseded.emplace(row.entry->revision, row.entry);
  }
  return changes;
}

Result<void> LogFile::checkpoint_if_due(bool is_idle) {
  const std::uint64_t limit = is_idle ? options_.idle_checkpoint_bytes : options_.forced_checkpoint_bytes;
  if (wal_pages_ * options_.page_bytes < limit) return {};
  // With one connection nobody else reads: a passive checkpoint copies everything, and the next commit starts
  // the write-ahead log over at its first page.
  const int code =
      sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  const bool has_failed_before = std::exchange(checkpoint_failed_, code != SQLITE_OK);
  if (code == SQLITE_OK) {
    wal_pages_ = 0;
    return update_file_bytes();
  }
  Error error = sqlite_error(database_.handle(), code, "writing the log back into the store's file failed");
  if (!has_failed_before) log::warning("checkpoint failed", {{"error", error.message}});
  return std::unexpected(std::move(error));
}

Result<void> LogFile::update_file_bytes() {
  FAIRWAY_TRY(const std::uint64_t pages, database_.number("PRAGMA page_count"));
  FAIRWAY_TRY(const std::uint64_t page_bytes, database_.number("PRAGMA page_size"));
  options_.page_bytes = static_cast<std::uint32_t>(page_bytes);
  file_bytes_ = pages * page_bytes;
  return {};
}

Result<void> LogFile::release_reserve(Revision handed_out) {
  if (handed_out >= reserved_ || handed_out < last_) return {};
  FAIRWAY_CHECKED(require_sync());
  FAIRWAY_TRY(Transaction transaction, Transaction::begin(database_));
  FAIRWAY_CHECKED(write_meta(kReserved, handed_out));
  return transaction.commit();
}

Result<void> LogFile::close(Revision handed_out) {
  const Result<void> released = release_reserve(handed_out);
  for (Statement* statement : {&insert_, &set_meta_, &range_, &one_, &superseded_, &remove_})
    *statement = Statement();
  FAIRWAY_CHECKED(database_.close());
  return released;
}

}  // namespace fairway::store
