#include "store/check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unordered_map>

#include "base/text.hpp"
#include "store/files.hpp"
#include "store/log_format.hpp"
#include "store/store.hpp"

namespace fairway::store {
namespace {

constexpr std::size_t kMaxFindings = 100;

// Reads the rows oldest first and remembers the last one of each object that still lives.
class RowChecker {
 public:
  RowChecker(CheckReport& report, Revision reserved) : report_(report), reserved_(reserved) {}

  void next(const Statement& statement) {
    ++report_.rows;
    const Revision revision = statement.number(column::kRevision);
    report_.revision = std::max(report_.revision, revision);
    if (revision > reserved_)
      find("row {} is above {}, the highest revision handed out", revision, reserved_);
    Result<Row> row = read_row(statement);
    if (!row) {
      find("{}", row.error().message);
      return;
    }
    revision > report_.compacted ? check_kept(*row) : check_compacted(*row);
    if (row->kind == ChangeKind::Deleted) {
      live_.erase(row->entry->key);
    } else {
      live_[row->entry->key] = {.revision = revision, .create_revision = row->entry->create_revision};
    }
  }

  void finish() { report_.objects = live_.size(); }

 private:
  struct Last {
    Revision revision = 0;
    Revision create_revision = 0;
  };

  template <class... Values>
  void find(fmt::format_string<Values...> format, Values&&... values) {
    if (report_.findings.size() < kMaxFindings)
      report_.findings.push_back(fmt::format(format, std::forward<Values>(values)...));
  }

  void check_kept(const Row& row) {
    const Entry& entry = *row.entry;
    const auto last = live_.find(entry.key);
    const Revision expected = last == live_.end() ? 0 : last->second.revision;
    if (row.previous != expected)
      find("row {} ({}) supersedes row {}, expected {}", entry.revision, quoted(describe(entry.key)),
           row.previous, expected);
    if ((row.kind == ChangeKind::Created) != (row.previous == 0))
      find("row {} ({}) is {} but supersedes row {}", entry.revision, quoted(describe(entry.key)),
           to_string(row.kind), row.previous);
    const Revision created = last == live_.end() ? entry.revision : last->second.create_revision;
    if (entry.create_revision != created)
      find("row {} ({}) says that it was created at {}, expected {}", entry.revision,
           quoted(describe(entry.key)), entry.create_revision, created);
  }

  void check_compacted(const Row& row) {
    const Entry& entry = *row.entry;
    if (row.kind == ChangeKind::Deleted)
      find("row {} ({}) is a deletion that compaction at {} should have dropped", entry.revision,
           quoted(describe(entry.key)), report_.compacted);
    if (const auto last = live_.find(entry.key); last != live_.end())
      find("row {} ({}) is superseded by row {} and should have been dropped by compaction at {}",
           last->second.revision, quoted(describe(entry.key)), entry.revision, report_.compacted);
  }

  CheckReport& report_;
  Revision reserved_;
  std::map<Key, Last> live_;
};

Result<void> check_pages(Database& database, CheckReport& report) {
  FAIRWAY_TRY(Statement pages, database.prepare(fmt::format("PRAGMA integrity_check({})", kMaxFindings)));
  for (;;) {
    FAIRWAY_TRY(const bool has_row, pages.step());
    if (!has_row) return {};
    if (pages.text(0) != "ok") report.findings.emplace_back(pages.text(0));
  }
}

Result<void> check_rows(Database& database, CheckReport& report) {
  FAIRWAY_TRY(report.compacted, database.number("SELECT value FROM meta WHERE name = 'compacted'"));
  FAIRWAY_TRY(const Revision reserved, database.number("SELECT value FROM meta WHERE name = 'reserved'"));
  report.revision = report.compacted;
  RowChecker checker(report, reserved);
  FAIRWAY_TRY(Statement rows, database.prepare("SELECT " FAIRWAY_STORE_ROW " FROM log ORDER BY revision"));
  for (;;) {
    FAIRWAY_TRY(const bool has_row, rows.step());
    if (!has_row) break;
    checker.next(rows);
  }
  checker.finish();
  return {};
}

Result<CheckReport> check_file(const std::string& path) {
  FAIRWAY_TRY(Database database, Database::open(path, Database::Mode::ReadWrite));
  database.keep_log_on_close();
  FAIRWAY_CHECKED(
      database.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA query_only=ON; PRAGMA trusted_schema=OFF"));
  FAIRWAY_CHECKED(check_format(database));
  CheckReport report;
  // A page that cannot be read ends the examination, which is a finding like any other.
  Result<void> examined = check_pages(database, report);
  if (examined) examined = check_rows(database, report);
  if (!examined) report.findings.push_back(examined.error().message);
  return report;
}

}  // namespace

Result<CheckReport> check(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0)
    return fail(ErrorCode::NotFound,
                fmt::format("expected a store or a backup at {}, found nothing", quoted(path)));
  if (!S_ISDIR(found.st_mode)) return check_file(path);
  const std::string file = store_file(path);
  if (::stat(file.c_str(), &found) != 0)
    return fail(ErrorCode::NotFound, fmt::format("expected a store at {}, found nothing", quoted(file)));
  FAIRWAY_TRY(const DirectoryLock lock, DirectoryLock::take(path));
  return check_file(file);
}

}  // namespace fairway::store
