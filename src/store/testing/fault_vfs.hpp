// FaultVfs: real files whose writes, syncs and truncations can be made to fail, or to be the last thing that
// the process does.
//
// A SQLite VFS around the operating system's. The hook sees each operation before it happens and says what
// becomes of it. Name it in LogOptions::vfs. Registered while the object lives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fairway::store {

enum class IoKind { Write, Sync, Truncate };

struct IoEvent {
  IoKind kind = IoKind::Write;
  std::string_view file;  // the whole path
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
};

enum class IoFault {
  None,
  Error,       // nothing is done, an I/O error is reported
  DiskFull,    // a write or truncation reports a full disk
  KillBefore,  // SIGKILL instead
  KillTorn,    // SIGKILL after the first half of a write
  KillAfter,   // SIGKILL when it is done
};

class FaultVfs {
 public:
  using Hook = std::function<IoFault(const IoEvent&)>;  // called in whatever thread does the I/O

  FaultVfs(std::string name, Hook hook);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

 private:
  struct Registration;
  std::unique_ptr<Registration> registration_;
};

}  // namespace fairway::store
