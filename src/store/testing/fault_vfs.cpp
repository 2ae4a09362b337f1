#include "store/testing/fault_vfs.hpp"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

#include "base/result.hpp"

namespace fairway::store {

struct FaultVfs::Registration {
  std::string name;
  Hook hook;
  sqlite3_vfs* real = nullptr;
  sqlite3_vfs vfs{};
};

namespace {

// SQLite allocates this with room for the real file behind it.
struct FaultFile {
  sqlite3_file base;
  const FaultVfs::Hook* hook;
  const char* path;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultFile& fault_file(sqlite3_file* file) {
  return *reinterpret_cast<FaultFile*>(file);
}

[[noreturn]] void end_process() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

// Does the operation as the hook wants it; `part` is what half of it looks like.
template <class Operation, class Part>
int do_with_fault(FaultFile& file, const IoEvent& event, int error, Operation operation, Part part) {
  switch ((*file.hook)(event)) {
    case IoFault::None:
      return operation();
    case IoFault::Error:
      return error;
    case IoFault::DiskFull:
      return SQLITE_FULL;
    case IoFault::KillBefore:
      end_process();
    case IoFault::KillTorn:
      part();
      end_process();
    case IoFault::KillAfter:
      operation();
      end_process();
  }
  FAIRWAY_CHECK(false, "an IoFault outside its enumeration");
}

int close_file(sqlite3_file* file) {
  return fault_file(file).real()->pMethods->xClose(fault_file(file).real());
}

int read_file(sqlite3_file* file, void* buffer, int bytes, sqlite3_int64 offset) {
  return fault_file(file).real()->pMethods->xRead(fault_file(file).real(), buffer, bytes, offset);
}

int write_file(sqlite3_file* file, const void* buffer, int bytes, sqlite3_int64 offset) {
  FaultFile& fault = fault_file(file);
  const auto write = [&](int size) {
    return fault.real()->pMethods->xWrite(fault.real(), buffer, size, offset);
  };
  return do_with_fault(
      fault, {IoKind::Write, fault.path, static_cast<std::uint64_t>(offset), static_cast<std::size_t>(bytes)},
      SQLITE_IOERR_WRITE, [&] { return write(bytes); }, [&] { write(bytes / 2); });
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  FaultFile& fault = fault_file(file);
  return do_with_fault(
      fault, {IoKind::Truncate, fault.path, static_cast<std::uint64_t>(size), 0}, SQLITE_IOERR_TRUNCATE,
      [&] { return fault.real()->pMethods->xTruncate(fault.real(), size); }, [] {});
}

int sync_file(sqlite3_file* file, int flags) {
  FaultFile& fault = fault_file(file);
  return do_with_fault(
      fault, {IoKind::Sync, fault.path, 0, 0}, SQLITE_IOERR_FSYNC,
      [&] { return fault.real()->pMethods->xSync(fault.real(), flags); }, [] {});
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return fault_file(file).real()->pMethods->xFileSize(fault_file(file).real(), size);
}

int lock_file(sqlite3_file* file, int level) {
  return fault_file(file).real()->pMethods->xLock(fault_file(file).real(), level);
}

int unlock_file(sqlite3_file* file, int level) {
  return fault_file(file).real()->pMethods->xUnlock(fault_file(file).real(), level);
}

int check_reserved_lock(sqlite3_file* file, int* is_reserved) {
  return fault_file(file).real()->pMethods->xCheckReservedLock(fault_file(file).real(), is_reserved);
}

int file_control(sqlite3_file* file, int operation, void* argument) {
  return fault_file(file).real()->pMethods->xFileControl(fault_file(file).real(), operation, argument);
}

int sector_size(sqlite3_file* file) {
  return fault_file(file).real()->pMethods->xSectorSize(fault_file(file).real());
}

int device_characteristics(sqlite3_file* file) {
  return fault_file(file).real()->pMethods->xDeviceCharacteristics(fault_file(file).real());
}

// Version 1: no shared memory, which the store's exclusive mode does not use.
const sqlite3_io_methods kMethods = {.iVersion = 1,
                                     .xClose = close_file,
                                     .xRead = read_file,
                                     .xWrite = write_file,
                                     .xTruncate = truncate_file,
                                     .xSync = sync_file,
                                     .xFileSize = file_size,
                                     .xLock = lock_file,
                                     .xUnlock = unlock_file,
                                     .xCheckReservedLock = check_reserved_lock,
                                     .xFileControl = file_control,
                                     .xSectorSize = sector_size,
                                     .xDeviceCharacteristics = device_characteristics};

}  // namespace

FaultVfs::FaultVfs(std::string name, Hook hook) : registration_(std::make_unique<Registration>()) {
  registration_->name = std::move(name);
  registration_->hook = std::move(hook);
  registration_->real = sqlite3_vfs_find(nullptr);
  registration_->vfs = *registration_->real;
  registration_->vfs.pNext = nullptr;
  registration_->vfs.zName = registration_->name.c_str();
  registration_->vfs.szOsFile = static_cast<int>(sizeof(FaultFile)) + registration_->real->szOsFile;
  // Of the real VFS's functions only xOpen looks at pAppData, and that one is called with the real object.
  registration_->vfs.pAppData = registration_.get();
  registration_->vfs.xOpen = [](sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags,
                                int* out_flags) {
    auto* registration = static_cast<Registration*>(vfs->pAppData);
    FaultFile& fault = fault_file(file);
    fault.hook = &registration->hook;
    fault.path = path != nullptr ? path : "";
    fault.base.pMethods = nullptr;
    const int code = registration->real->xOpen(registration->real, path, fault.real(), flags, out_flags);
    if (code == SQLITE_OK) fault.base.pMethods = &kMethods;
    return code;
  };
  sqlite3_vfs_register(&registration_->vfs, 0);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&registration_->vfs);
}

}  // namespace fairway::store
