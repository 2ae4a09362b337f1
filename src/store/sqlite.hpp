// SQLite, as little of it as the store needs: a connection and prepared statements, with Result for errors.
//
// Not thread-safe: a connection and its statements belong to one thread at a time and may be handed over.
// Bound text is not copied; it must live until the statement is reset. Text read from a column is valid until
// the next step. No header shows sqlite3.h; only this folder uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace fairway::store {

class Statement {
 public:
  Statement() = default;

  Statement& bind(int index, std::uint64_t number);
  Statement& bind(int index, std::string_view text);
  Statement& bind_bytes(int index, std::string_view bytes);

  // True while there is a row to read. After an error or the end the statement must be reset.
  Result<bool> step();
  // Runs to the end, ignoring rows, and resets.
  Result<void> run();
  void reset();

  std::uint64_t number(int column) const;
  std::string_view text(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

// Resets when it leaves, so that a half-read query holds no read transaction.
class StatementScope {
 public:
  explicit StatementScope(Statement& statement) : statement_(statement) {}
  ~StatementScope() { statement_.reset(); }
  StatementScope(const StatementScope&) = delete;
  StatementScope& operator=(const StatementScope&) = delete;

 private:
  Statement& statement_;
};

class Database {
 public:
  enum class Mode { ReadWrite, Create };

  Database() = default;
  // `vfs` empty: the operating system's files. The path ":memory:" keeps everything in memory.
  static Result<Database> open(const std::string& path, Mode mode, const std::string& vfs = {});

  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  // The first column of the first row.
  Result<std::uint64_t> number(std::string_view sql);
  Result<std::string> text(std::string_view sql);

  // After a failed statement SQLite may or may not have ended the transaction by itself.
  bool is_in_transaction() const;
  // No checkpoint when the connection is closed: what is being examined stays as it is.
  void keep_log_on_close();
  Result<void> close();
  sqlite3* handle() const { return connection_.get(); }

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Closer> connection_;
};

// Everything between begin() and commit(), or nothing of it.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

// What went wrong with the connection, with the code chosen by what the caller can do about it.
Error sqlite_error(sqlite3* connection, int code, std::string_view doing);

}  // namespace fairway::store
