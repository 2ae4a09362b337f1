// Backup: a copy of the log, made while writes go on.
//
// The copy is made page by page on the log's own connection, between groups of writes; pages that change
// after they were copied are copied again by SQLite. What is finished is a whole, durable store file that
// holds every write committed before finish, under its final name only when complete. It knows that it is a
// backup: opened as a store, it goes on far beyond the revisions of the one it was taken from (see
// restart_after_restore).
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "store/sqlite.hpp"

struct sqlite3_backup;

namespace fairway::store {

class Backup {
 public:
  // `path` is replaced if it exists; its directory must.
  static Result<Backup> start(Database& source, const std::string& path);
  Backup(Backup&&) = default;
  Backup& operator=(Backup&&) = default;
  ~Backup();

  // One bounded step; true when the backup stands under its name.
  Result<bool> step();

 private:
  struct Finisher {
    void operator()(sqlite3_backup* backup) const;
  };
  Backup() = default;
  Result<void> finish();

  std::string path_;
  std::string partial_path_;
  Database target_;
  std::unique_ptr<sqlite3_backup, Finisher> copy_;
};

}  // namespace fairway::store
