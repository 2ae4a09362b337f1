// VirtualDisk: files in memory that forget what was not synced when the power fails.
//
// A SQLite VFS. After a write the file reads back as written, but only sync makes it durable. power_failure()
// leaves of each file what was synced last plus an arbitrary choice, by the given random source, of the
// 512-byte sectors written since, and an arbitrary size among those it had; every open file stays dead from
// then on. Name it in LogOptions::vfs. This is what tells a durable commit from a lucky one; killing a
// process cannot.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>

namespace fairway::store {

class VirtualDisk {
 public:
  explicit VirtualDisk(std::string name);
  ~VirtualDisk();
  VirtualDisk(const VirtualDisk&) = delete;
  VirtualDisk& operator=(const VirtualDisk&) = delete;

  // After so many more operations (writes, syncs, truncations) all of them fail, until power_failure().
  void fail_after(std::uint64_t operations);
  bool has_failed() const;
  // From now on a sync succeeds and does nothing.
  void ignore_syncs();
  void power_failure(std::mt19937_64& random);
  std::uint64_t operations() const;

  struct Files;

 private:
  struct Registration;
  std::unique_ptr<Registration> registration_;
};

}  // namespace fairway::store
