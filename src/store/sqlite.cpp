#include "store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text.hpp"

namespace fairway::store {
namespace {

ErrorCode code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::Invalid;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return ErrorCode::Forbidden;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
      return ErrorCode::Unavailable;
    default:
      return ErrorCode::Internal;
  }
}

}  // namespace

Error sqlite_error(sqlite3* connection, int code, std::string_view doing) {
  const int extended = connection != nullptr ? sqlite3_extended_errcode(connection) : code;
  // sqlite3_errmsg speaks of the last call, which after an automatic rollback may be another one.
  const bool is_same = (extended & 0xff) == (code & 0xff);
  const char* message = connection != nullptr && is_same ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  return Error{code_of(code),
               fmt::format("{}: {} (sqlite code {})", doing, message, is_same ? extended : code)};
}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::bind(int index, std::uint64_t number) {
  sqlite3_bind_int64(statement_.get(), index, static_cast<sqlite3_int64>(number));
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL; an empty text is a text.
  const char* bytes = text.data() != nullptr ? text.data() : "";
  sqlite3_bind_text64(statement_.get(), index, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_bytes(int index, std::string_view bytes) {
  const char* start = bytes.data() != nullptr ? bytes.data() : "";
  sqlite3_bind_blob64(statement_.get(), index, start, bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(sqlite_error(sqlite3_db_handle(statement_.get()), code,
                                      fmt::format("{} failed", quoted(sqlite3_sql(statement_.get())))));
}

Result<void> Statement::run() {
  const StatementScope scope(*this);
  for (;;) {
    FAIRWAY_TRY(const bool has_row, step());
    if (!has_row) return {};
  }
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

std::string_view Statement::text(int column) const {
  // As a blob: the bytes as they are, without the copy that a terminating NUL would cost.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

void Database::Closer::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Result<Database> Database::open(const std::string& path, Mode mode, const std::string& vfs) {
  // One thread at a time, so SQLite's own mutexes are left out.
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (mode == Mode::Create) flags |= SQLITE_OPEN_CREATE;
  Database database;
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, vfs.empty() ? nullptr : vfs.c_str());
  database.connection_.reset(connection);
  if (code != SQLITE_OK)
    return std::unexpected(sqlite_error(connection, code, fmt::format("opening {} failed", quoted(path))));
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return {};
  return std::unexpected(sqlite_error(connection_.get(), code, fmt::format("{} failed", quoted(sql))));
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code == SQLITE_OK) return Statement(statement);
  return std::unexpected(
      sqlite_error(connection_.get(), code, fmt::format("preparing {} failed", quoted(sql))));
}

Result<std::uint64_t> Database::number(std::string_view sql) {
  FAIRWAY_TRY(Statement statement, prepare(sql));
  FAIRWAY_TRY(const bool has_row, statement.step());
  if (!has_row)
    return fail(ErrorCode::Internal, fmt::format("expected a row from {}, found none", quoted(sql)));
  return statement.number(0);
}

Result<std::string> Database::text(std::string_view sql) {
  FAIRWAY_TRY(Statement statement, prepare(sql));
  FAIRWAY_TRY(const bool has_row, statement.step());
  if (!has_row)
    return fail(ErrorCode::Internal, fmt::format("expected a row from {}, found none", quoted(sql)));
  return std::string(statement.text(0));
}

bool Database::is_in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

void Database::keep_log_on_close() {
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Result<void> Database::close() {
  const int code = sqlite3_close(connection_.get());
  if (code != SQLITE_OK)
    return std::unexpected(sqlite_error(connection_.get(), code, "closing the store failed"));
  [[maybe_unused]] const auto* closed = connection_.release();
  return {};
}

Result<Transaction> Transaction::begin(Database& database) {
  FAIRWAY_CHECKED(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ == nullptr || !database_->is_in_transaction()) return;
  // A rollback only forgets pages in memory; where even that fails, the next BEGIN reports it.
  [[maybe_unused]] const Result<void> rolled_back = database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  FAIRWAY_CHECKED(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace fairway::store
