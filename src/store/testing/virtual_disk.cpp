#include "store/testing/virtual_disk.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <sqlite3.h>
#include <utility>
#include <vector>

namespace fairway::store {
namespace {

constexpr std::size_t kSector = 512;

struct Content {
  std::string now;
  std::string durable;
  std::set<std::size_t> dirty;     // sectors written since the last sync
  std::vector<std::size_t> sizes;  // that the file had since the last sync
};

// As far as both have it.
void copy_sector(const std::string& from, std::string& to, std::size_t sector) {
  const std::size_t start = sector * kSector;
  if (start >= from.size() || start >= to.size()) return;
  std::memcpy(to.data() + start, from.data() + start,
              std::min({kSector, from.size() - start, to.size() - start}));
}

}  // namespace

// Shared with the open files, which may outlive the power.
struct VirtualDisk::Files {
  std::mutex mutex;
  std::map<std::string, Content> contents;
  std::uint64_t operations = 0;
  std::uint64_t last_good = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t generation = 0;  // grows with each power failure
  bool ignores_syncs = false;

  bool spend_operation() { return ++operations <= last_good; }
};

struct VirtualDisk::Registration {
  std::string name;
  std::shared_ptr<Files> files = std::make_shared<Files>();
  sqlite3_vfs vfs{};
};

namespace {

struct DiskFile {
  sqlite3_file base;
  std::shared_ptr<VirtualDisk::Files>* files;
  std::string* path;
  std::uint64_t generation;
};

DiskFile& disk_file(sqlite3_file* file) {
  return *reinterpret_cast<DiskFile*>(file);
}

// Calls `use` with the file's content, under the lock; a dead file gives an I/O error.
template <class Use>
int with_content(sqlite3_file* file, int error, Use use) {
  DiskFile& disk = disk_file(file);
  VirtualDisk::Files& files = **disk.files;
  std::lock_guard lock(files.mutex);
  if (files.generation != disk.generation) return error;
  return use(files, files.contents[*disk.path]);
}

int close_file(sqlite3_file* file) {
  delete disk_file(file).files;
  delete disk_file(file).path;
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* buffer, int bytes, sqlite3_int64 offset) {
  return with_content(file, SQLITE_IOERR_READ, [&](VirtualDisk::Files&, const Content& content) {
    const auto wanted = static_cast<std::size_t>(bytes);
    const auto start = std::min(static_cast<std::size_t>(offset), content.now.size());
    const std::size_t found = std::min(wanted, content.now.size() - start);
    std::memcpy(buffer, content.now.data() + start, found);
    std::memset(static_cast<char*>(buffer) + found, 0, wanted - found);
    return found == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  });
}

int write_file(sqlite3_file* file, const void* buffer, int bytes, sqlite3_int64 offset) {
  return with_content(file, SQLITE_IOERR_WRITE, [&](VirtualDisk::Files& files, Content& content) {
    if (!files.spend_operation()) return SQLITE_IOERR_WRITE;
    const auto start = static_cast<std::size_t>(offset);
    const auto size = static_cast<std::size_t>(bytes);
    if (content.now.size() < start + size) content.now.resize(start + size);
    std::memcpy(content.now.data() + start, buffer, size);
    for (std::size_t sector = start / kSector; sector <= (start + size - 1) / kSector; ++sector)
      content.dirty.insert(sector);
    content.sizes.push_back(content.now.size());
    return SQLITE_OK;
  });
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return with_content(file, SQLITE_IOERR_TRUNCATE, [&](VirtualDisk::Files& files, Content& content) {
    if (!files.spend_operation()) return SQLITE_IOERR_TRUNCATE;
    content.now.resize(static_cast<std::size_t>(size));
    content.sizes.push_back(content.now.size());
    return SQLITE_OK;
  });
}

int sync_file(sqlite3_file* file, int) {
  return with_content(file, SQLITE_IOERR_FSYNC, [&](VirtualDisk::Files& files, Content& content) {
    if (!files.spend_operation()) return SQLITE_IOERR_FSYNC;
    if (files.ignores_syncs) return SQLITE_OK;
    content.durable.resize(content.now.size());
    for (const std::size_t sector : content.dirty) copy_sector(content.now, content.durable, sector);
    content.dirty.clear();
    content.sizes.clear();
    return SQLITE_OK;
  });
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return with_content(file, SQLITE_IOERR_FSTAT, [&](VirtualDisk::Files&, const Content& content) {
    *size = static_cast<sqlite3_int64>(content.now.size());
    return SQLITE_OK;
  });
}

int ignore_lock(sqlite3_file*, int) {
  return SQLITE_OK;
}

int check_reserved_lock(sqlite3_file*, int* is_reserved) {
  *is_reserved = 0;
  return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file*) {
  return kSector;
}

// As the real VFS says of itself: a write does not harm the bytes beside it.
int device_characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

const sqlite3_io_methods kMethods = {.iVersion = 1,
                                     .xClose = close_file,
                                     .xRead = read_file,
                                     .xWrite = write_file,
                                     .xTruncate = truncate_file,
                                     .xSync = sync_file,
                                     .xFileSize = file_size,
                                     .xLock = ignore_lock,
                                     .xUnlock = ignore_lock,
                                     .xCheckReservedLock = check_reserved_lock,
                                     .xFileControl = file_control,
                                     .xSectorSize = sector_size,
                                     .xDeviceCharacteristics = device_characteristics};

std::shared_ptr<VirtualDisk::Files>& files_of(sqlite3_vfs* vfs) {
  return *static_cast<std::shared_ptr<VirtualDisk::Files>*>(vfs->pAppData);
}

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  DiskFile& disk = disk_file(file);
  disk.base.pMethods = nullptr;
  const auto& files = files_of(vfs);
  std::lock_guard lock(files->mutex);
  const std::string name = path != nullptr ? path : "temporary";
  if ((flags & SQLITE_OPEN_CREATE) == 0 && !files->contents.contains(name)) return SQLITE_CANTOPEN;
  files->contents.try_emplace(name);
  disk.files = new std::shared_ptr<VirtualDisk::Files>(files);
  disk.path = new std::string(name);
  disk.generation = files->generation;
  disk.base.pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int) {
  const auto& files = files_of(vfs);
  std::lock_guard lock(files->mutex);
  if (!files->spend_operation()) return SQLITE_IOERR_DELETE;
  files->contents.erase(path);
  return SQLITE_OK;
}

int access_file(sqlite3_vfs* vfs, const char* path, int, int* is_there) {
  const auto& files = files_of(vfs);
  std::lock_guard lock(files->mutex);
  const auto content = files->contents.find(path);
  *is_there = content != files->contents.end() && !content->second.now.empty() ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int room, char* out) {
  if (std::strlen(path) + 1 > static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
  std::memcpy(out, path, std::strlen(path) + 1);
  return SQLITE_OK;
}

// The synced bytes, with some of the sectors written since, at one of the sizes since.
void lose_power(Content& content, std::mt19937_64& random) {
  std::string left = content.durable;
  if (!content.sizes.empty() && random() % 2 == 0)
    left.resize(content.sizes[random() % content.sizes.size()]);
  const std::uint64_t kept_of_four = random() % 5;
  for (const std::size_t sector : content.dirty) {
    if (random() % 4 < kept_of_four) copy_sector(content.now, left, sector);
  }
  content = Content{.now = left, .durable = left, .dirty = {}, .sizes = {}};
}

}  // namespace

VirtualDisk::VirtualDisk(std::string name) : registration_(std::make_unique<Registration>()) {
  registration_->name = std::move(name);
  sqlite3_vfs& vfs = registration_->vfs;
  vfs = *sqlite3_vfs_find(nullptr);  // for time and randomness
  vfs.pNext = nullptr;
  vfs.zName = registration_->name.c_str();
  vfs.pAppData = &registration_->files;
  vfs.szOsFile = sizeof(DiskFile);
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_path;
  sqlite3_vfs_register(&vfs, 0);
}

VirtualDisk::~VirtualDisk() {
  sqlite3_vfs_unregister(&registration_->vfs);
}

void VirtualDisk::fail_after(std::uint64_t operations) {
  std::lock_guard lock(registration_->files->mutex);
  registration_->files->last_good = registration_->files->operations + operations;
}

bool VirtualDisk::has_failed() const {
  std::lock_guard lock(registration_->files->mutex);
  return registration_->files->operations > registration_->files->last_good;
}

void VirtualDisk::ignore_syncs() {
  std::lock_guard lock(registration_->files->mutex);
  registration_->files->ignores_syncs = true;
}

void VirtualDisk::power_failure(std::mt19937_64& random) {
  Files& files = *registration_->files;
  std::lock_guard lock(files.mutex);
  for (auto& [path, content] : files.contents) lose_power(content, random);
  ++files.generation;
  files.last_good = std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t VirtualDisk::operations() const {
  std::lock_guard lock(registration_->files->mutex);
  return registration_->files->operations;
}

}  // namespace fairway::store
