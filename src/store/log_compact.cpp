// Dropping history, in steps that are small enough to stand between two groups of writes.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/log.hpp"
#include "store/log_file.hpp"
#include "store/log_format.hpp"

namespace fairway::store {
namespace {

constexpr std::uint64_t kRowsPerStep = 512;
constexpr std::uint64_t kPagesPerStep = 256;
// Free pages are soon used again; below this share, or number, moving pages to give them back is not worth
// it.
constexpr std::uint64_t kFreeShare = 4;
constexpr std::uint64_t kFreePages = 512;
// How far a restored store moves on: beyond anything that clients of the lost one can have seen.
constexpr Revision kRestoreGap = 1'000'000'000;

}  // namespace

// Housekeeping need not be durable by itself: the next group's commit makes it so, in order. Losing it in a
// crash means doing it again.
Result<void> LogFile::relax_sync() {
  if (std::exchange(is_relaxed_, true)) return {};
  return database_.execute("PRAGMA synchronous=NORMAL");
}

Result<void> LogFile::require_sync() {
  if (!is_relaxed_) return {};
  FAIRWAY_CHECKED(database_.execute("PRAGMA synchronous=FULL"));
  is_relaxed_ = false;
  return {};
}

Result<bool> LogFile::compact(Revision target) {
  target = std::min(target, last_);
  if (target <= compacted_) return true;
  std::vector<Revision> doomed;
  Revision through = target;
  {
    const StatementScope scope(superseded_.bind(1, compacted_).bind(2, target).bind(3, kRowsPerStep));
    std::uint64_t rows = 0;
    for (;;) {
      FAIRWAY_TRY(const bool has_row, superseded_.step());
      if (!has_row) break;
      const Revision revision = superseded_.number(0);
      if (const Revision previous = superseded_.number(1); previous != 0) doomed.push_back(previous);
      if (superseded_.number(2) == static_cast<std::uint64_t>(ChangeKind::Deleted))
        doomed.push_back(revision);
      if (++rows == kRowsPerStep) through = revision;
    }
  }
  std::ranges::sort(doomed);  // neighbours share pages
  FAIRWAY_CHECKED(relax_sync());
  FAIRWAY_TRY(Transaction transaction, Transaction::begin(database_));
  for (const Revision revision : doomed) FAIRWAY_CHECKED(remove_.bind(1, revision).run());
  FAIRWAY_CHECKED(write_meta(kCompacted, through));
  FAIRWAY_CHECKED(transaction.commit());
  compacted_ = through;
  return compacted_ == target;
}

Result<bool> LogFile::give_back_space() {
  FAIRWAY_TRY(const std::uint64_t free, database_.number("PRAGMA freelist_count"));
  FAIRWAY_TRY(const std::uint64_t pages, database_.number("PRAGMA page_count"));
  if (free < kFreePages || free < pages / kFreeShare) return true;
  FAIRWAY_CHECKED(relax_sync());
  FAIRWAY_TRY(Statement vacuum,
              database_.prepare(fmt::format("PRAGMA incremental_vacuum({})", kPagesPerStep)));
  FAIRWAY_CHECKED(vacuum.run());
  return false;
}

// A backup that is opened as a store: what happened after it was made is lost, and clients may have seen it.
// None of those revisions may appear again, and every watch has to start over.
Result<void> LogFile::restart_after_restore() {
  const Revision newest = last_;
  for (bool is_done = false; !is_done;) {
    FAIRWAY_TRY(is_done, compact(newest));
  }
  const Revision restart = reserved_ + kRestoreGap;
  FAIRWAY_CHECKED(require_sync());
  FAIRWAY_TRY(Transaction transaction, Transaction::begin(database_));
  FAIRWAY_CHECKED(write_meta(kReserved, restart));
  FAIRWAY_CHECKED(write_meta(kCompacted, restart));
  FAIRWAY_CHECKED(write_meta(kRestored, 0));
  FAIRWAY_CHECKED(transaction.commit());
  log::info("opened a restored backup", {{"revision", fmt::format("{}", restart)}});
  last_ = reserved_ = compacted_ = restart;
  return {};
}

}  // namespace fairway::store
