// Reading the log at start: newest row first, so that only the rows that count have their values read.
#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "store/log_file.hpp"
#include "store/log_format.hpp"

namespace fairway::store {
namespace {

constexpr std::uint64_t kRowsPerMark = 1024;

// Follows the chains of rows backwards. Above the compacted revision the row that a row supersedes must be
// there; at or below it every row is the last of its object, and none is a deletion.
class ChainReader {
 public:
  explicit ChainReader(Revision compacted) : compacted_(compacted) {}

  // True when the row is current and has to be read whole.
  Result<bool> next(Revision revision, Revision previous, std::uint64_t kind) {
    const bool is_superseded = superseded_.erase(revision) != 0;
    const bool is_deletion = kind == static_cast<std::uint64_t>(ChangeKind::Deleted);
    const bool is_creation = kind == static_cast<std::uint64_t>(ChangeKind::Created);
    if (previous >= revision || is_creation != (previous == 0))
      return std::unexpected(damaged(fmt::format("row {} cannot supersede row {}", revision, previous)));
    if (is_deletion && (is_superseded || revision <= compacted_))
      return std::unexpected(damaged(
          fmt::format("row {} is a deletion that something follows, or that should be gone", revision)));
    if (revision > compacted_ && previous != 0 && !superseded_.insert(previous).second)
      return std::unexpected(damaged(fmt::format("row {} is superseded twice", previous)));
    return !is_superseded && !is_deletion;
  }

  Result<void> finish() const {
    if (superseded_.empty()) return {};
    return std::unexpected(damaged(fmt::format("row {} is missing", *superseded_.begin())));
  }

 private:
  Revision compacted_;
  std::unordered_set<Revision> superseded_;
};

Result<void> check_pages(Database& database) {
  FAIRWAY_TRY(const std::string finding, database.text("PRAGMA quick_check(1)"));
  if (finding == "ok") return {};
  return std::unexpected(damaged(finding));
}

}  // namespace

Result<LoadedLog> LogFile::load() {
  if (file_bytes_ <= options_.quick_check_bytes) FAIRWAY_CHECKED(check_pages(database_));
  LoadedLog loaded{.entries = {}, .revision = last_, .marks = {}};
  ChainReader chains(compacted_);
  std::uint64_t newer = 0;
  FAIRWAY_TRY(Statement rows,
              database_.prepare("SELECT " FAIRWAY_STORE_ROW " FROM log ORDER BY revision DESC"));
  for (;;) {
    FAIRWAY_TRY(const bool has_row, rows.step());
    if (!has_row) break;
    const Revision revision = rows.number(column::kRevision);
    if (revision > compacted_ && ++newer % kRowsPerMark == 0)
      loaded.marks.push_back({.revision = revision, .newer = newer - 1});
    FAIRWAY_TRY(const bool is_current,
                chains.next(revision, rows.number(column::kPrevious), rows.number(column::kKind)));
    if (!is_current) continue;
    FAIRWAY_TRY(Row row, read_row(rows));
    loaded.entries.push_back(std::move(row.entry));
  }
  FAIRWAY_CHECKED(chains.finish());
  return loaded;
}

}  // namespace fairway::store
