#include "store/log_format.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "store/checksum.hpp"

namespace fairway::store {
namespace {

constexpr const char* kSchema =
    "CREATE TABLE log("
    "  revision INTEGER PRIMARY KEY,"
    "  previous INTEGER NOT NULL,"  // the revision that this row supersedes; 0: none
    "  created INTEGER NOT NULL,"   // the revision that created the object
    "  kind INTEGER NOT NULL,"      // 1 created, 2 updated, 3 deleted
    "  sum INTEGER NOT NULL,"       // CRC-32C over the other columns
    "  cluster TEXT NOT NULL, resource TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,"
    "  labels BLOB NOT NULL, value TEXT NOT NULL) STRICT;"
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "INSERT INTO meta VALUES('reserved', 0), ('compacted', 0), ('restored', 0);";

Result<void> expect_setting(Database& database, std::string_view pragma, std::string_view wanted) {
  FAIRWAY_TRY(const std::string found, database.text(fmt::format("PRAGMA {}", pragma)));
  if (found == wanted) return {};
  return fail(ErrorCode::Unsupported,
              fmt::format("expected SQLite to run with {} {}, found {}: acknowledged writes "
                          "would not be durable",
                          pragma, quoted(wanted), quoted(found)));
}

Result<void> configure(Database& database, std::uint32_t page_bytes) {
  // Exclusive before anything is read: the WAL's index then lives on the heap, without a shared-memory file.
  FAIRWAY_CHECKED(
      database.execute(fmt::format("PRAGMA locking_mode=EXCLUSIVE; PRAGMA page_size={};"
                                   "PRAGMA auto_vacuum=INCREMENTAL",
                                   page_bytes)));
  FAIRWAY_TRY(const std::string journal, database.text("PRAGMA journal_mode=WAL"));
  if (journal != "wal" && journal != "memory")
    return fail(
        ErrorCode::Unsupported,
        fmt::format("expected SQLite to keep a write-ahead log, found journal mode {}", quoted(journal)));
  FAIRWAY_CHECKED(
      database.execute("PRAGMA synchronous=FULL; PRAGMA cache_size=-4096; PRAGMA temp_store=MEMORY;"
                       "PRAGMA secure_delete=FAST; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF"));
  return expect_setting(database, "synchronous", "2");
}

Result<void> create_tables(Database& database) {
  FAIRWAY_TRY(Transaction transaction, Transaction::begin(database));
  FAIRWAY_CHECKED(database.execute(kSchema));
  FAIRWAY_CHECKED(database.execute(
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, kFormat)));
  return transaction.commit();
}

}  // namespace

Error damaged(std::string_view what) {
  return Error{
      ErrorCode::Invalid,
      fmt::format("the store is damaged: {}; look at it with `fairway apiserver check` and restore a backup",
                  what)};
}

Result<void> open_format(Database& database, std::uint32_t page_bytes) {
  FAIRWAY_CHECKED(configure(database, page_bytes));
  FAIRWAY_TRY(const std::uint64_t tables, database.number("SELECT count(*) FROM sqlite_schema"));
  return tables == 0 ? create_tables(database) : check_format(database);
}

Result<void> check_format(Database& database) {
  FAIRWAY_TRY(const std::uint64_t application, database.number("PRAGMA application_id"));
  if (application != kApplicationId)
    return fail(ErrorCode::Invalid,
                fmt::format("expected a store of Fairway (application id {}), found a database with id {}",
                            kApplicationId, application));
  FAIRWAY_TRY(const std::uint64_t format, database.number("PRAGMA user_version"));
  if (format != kFormat)
    return fail(
        ErrorCode::Unsupported,
        fmt::format("expected a store of format {}, found format {}: it was written by a newer version of "
                    "Fairway; start that version, or restore a backup from before it",
                    kFormat, format));
  return {};
}

std::uint32_t sum_of(const Entry& entry, ChangeKind kind, Revision previous) {
  std::uint32_t sum = crc32c(entry.revision, 0);
  sum = crc32c(previous, sum);
  sum = crc32c(entry.create_revision, sum);
  sum = crc32c(static_cast<std::uint64_t>(kind), sum);
  for (const std::string* part : {&entry.key.cluster, &entry.key.resource, &entry.key.ns, &entry.key.name}) {
    sum = crc32c(part->size(), sum);
    sum = crc32c(*part, sum);
  }
  for (const auto& [name, value] : entry.labels) {
    sum = crc32c(name.size(), sum);
    sum = crc32c(name, sum);
    sum = crc32c(value.size(), sum);
    sum = crc32c(value, sum);
  }
  return crc32c(*entry.value, sum);
}

Key read_key(const Statement& statement) {
  return Key{.cluster = std::string(statement.text(column::kCluster)),
             .resource = std::string(statement.text(column::kResource)),
             .ns = std::string(statement.text(column::kNs)),
             .name = std::string(statement.text(column::kName))};
}

bool is_in_scope(const Statement& statement, const Scope& scope) {
  return (scope.cluster.empty() || scope.cluster == statement.text(column::kCluster)) &&
         (scope.resource.empty() || scope.resource == statement.text(column::kResource));
}

Result<Row> read_row(const Statement& statement) {
  auto entry = std::make_shared<Entry>();
  entry->key = read_key(statement);
  entry->revision = statement.number(column::kRevision);
  entry->create_revision = statement.number(column::kCreated);
  entry->value = std::make_shared<const std::string>(statement.text(column::kValue));
  auto labels = decode_labels(statement.text(column::kLabels));
  const std::uint64_t kind = statement.number(column::kKind);
  if (!labels || kind < 1 || kind > 3)
    return std::unexpected(damaged(fmt::format("row {} cannot be read", entry->revision)));
  entry->labels = *std::move(labels);
  Row row{.kind = static_cast<ChangeKind>(kind),
          .previous = statement.number(column::kPrevious),
          .entry = std::move(entry)};
  const std::uint32_t sum = sum_of(*row.entry, row.kind, row.previous);
  if (sum != statement.number(column::kSum))
    return std::unexpected(
        damaged(fmt::format("row {} ({}) has the checksum {}, expected {}", row.entry->revision,
                            quoted(describe(row.entry->key)), sum, statement.number(column::kSum))));
  return row;
}

}  // namespace fairway::store
