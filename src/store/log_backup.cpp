#include "store/log_backup.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/text.hpp"
#include "store/files.hpp"
#include "store/log_format.hpp"

namespace fairway::store {
namespace {

constexpr int kPagesPerStep = 256;

}  // namespace

void Backup::Finisher::operator()(sqlite3_backup* backup) const {
  sqlite3_backup_finish(backup);
}

Result<Backup> Backup::start(Database& source, const std::string& path) {
  Backup backup;
  backup.path_ = path;
  backup.partial_path_ = path + ".partial";
  // What an earlier, interrupted backup left behind must not become part of this one.
  ::unlink(backup.partial_path_.c_str());
  FAIRWAY_CHECKED(make_private_file(backup.partial_path_));
  FAIRWAY_TRY(backup.target_, Database::open(backup.partial_path_, Database::Mode::ReadWrite));
  // Nothing reads the copy before it is complete and synced as a whole.
  FAIRWAY_CHECKED(backup.target_.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF"));
  backup.copy_.reset(sqlite3_backup_init(backup.target_.handle(), "main", source.handle(), "main"));
  if (!backup.copy_)
    return std::unexpected(sqlite_error(backup.target_.handle(), sqlite3_errcode(backup.target_.handle()),
                                        fmt::format("starting the backup to {} failed", quoted(path))));
  return backup;
}

Backup::~Backup() {
  if (!copy_) return;
  copy_.reset();
  ::unlink(partial_path_.c_str());
}

Result<bool> Backup::step() {
  const int code = sqlite3_backup_step(copy_.get(), kPagesPerStep);
  if (code == SQLITE_OK) return false;
  if (code != SQLITE_DONE)
    return std::unexpected(
        sqlite_error(nullptr, code, fmt::format("the backup to {} failed", quoted(path_))));
  FAIRWAY_CHECKED(finish());
  return true;
}

Result<void> Backup::finish() {
  const int code = sqlite3_backup_finish(copy_.release());
  Result<void> finished;
  if (code != SQLITE_OK)
    finished =
        std::unexpected(sqlite_error(nullptr, code, fmt::format("the backup to {} failed", quoted(path_))));
  // The copy says that it is in WAL mode, as its source; leaving that mode makes it one file again.
  if (finished) finished = target_.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE");
  if (finished)
    finished = target_.execute(fmt::format("UPDATE meta SET value = 1 WHERE name = '{}'", kRestored));
  if (finished) finished = target_.close();
  if (finished) finished = replace_file(partial_path_, path_);
  if (!finished) ::unlink(partial_path_.c_str());
  return finished;
}

}  // namespace fairway::store
