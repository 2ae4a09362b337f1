#include "device/space.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "device/file_contents.hpp"
#include "device/files.hpp"

namespace fairway::device {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kBlock = 512;  // what st_blocks counts
constexpr std::uint64_t kPerEntry = 4096;
constexpr std::uint64_t kReserve = 16 * kMiB;

class Measurer {
 public:
  explicit Measurer(const std::string& into) : into_(into) {}

  // With `stops_early`, only as far as is needed to know whether clones can be made.
  Result<void> walk(const std::string& path, bool stops_early = false) {
    const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory) return errno == ENOENT ? Result<void>{} : system_failure("read", path);
    return walk(directory.get(), path, stops_early);
  }

  const TreeSize& size() const { return size_; }

 private:
  Result<void> walk(int directory, const std::string& path, bool stops_early) {
    FAIRWAY_TRY(const auto names, list_directory(directory, path));
    for (const std::string& name : names) {
      if (stops_early && has_tried_) return {};
      struct stat facts{};
      if (::fstatat(directory, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;
        return system_failure("look at", path + "/" + name);
      }
      count(facts);
      if (S_ISDIR(facts.st_mode)) {
        const Descriptor below(
            ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!below) return system_failure("read", path + "/" + name);
        FAIRWAY_CHECKED(walk(below.get(), path + "/" + name, stops_early));
      } else if (S_ISREG(facts.st_mode) && facts.st_size > 0 && !has_tried_) {
        try_clone(directory, name);
      }
    }
    return {};
  }

  void count(const struct stat& facts) {
    ++size_.entries;
    if (!S_ISDIR(facts.st_mode) && facts.st_nlink > 1 && !seen_.insert(facts.st_ino).second) return;
    size_.allocated += static_cast<std::uint64_t>(facts.st_blocks) * kBlock;
  }

  void try_clone(int directory, const std::string& name) {
    has_tried_ = true;
    const Descriptor file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    size_.can_clone = file && can_clone_into(file.get(), into_);
  }

  const std::string& into_;
  TreeSize size_ = {};
  bool has_tried_ = false;
  std::set<ino_t> seen_ = {};
};

Result<struct statvfs> facts_of_file_system(const std::string& path) {
  struct statvfs facts{};
  if (::statvfs(path.c_str(), &facts) != 0) return system_failure("ask for the free space of", path);
  return facts;
}

}  // namespace

Result<TreeSize> measure_tree(const std::string& tree, const std::string& into) {
  Measurer measurer(into);
  FAIRWAY_CHECKED(measurer.walk(tree));
  return measurer.size();
}

std::uint64_t needed_bytes(const TreeSize& size) {
  if (size.can_clone) return size.entries * kPerEntry + kReserve;
  return size.allocated + size.allocated / 10;
}

Result<void> check_space(const TreeSize& size, const std::string& into, const std::string& purpose) {
  FAIRWAY_TRY(const auto facts, facts_of_file_system(into));
  const std::uint64_t available = std::uint64_t{facts.f_bavail} * facts.f_frsize;
  const std::uint64_t required = needed_bytes(size);
  if (required <= available) return {};
  return fail(ErrorCode::Unavailable,
              fmt::format("not enough disk space in \"{}\" to {}: required={}M available={}M", into, purpose,
                          (required + kMiB - 1) / kMiB, available / kMiB));
}

Result<void> check_fits(const std::string& tree, const std::string& into, const std::string& purpose) {
  Measurer probe(into);
  FAIRWAY_CHECKED(probe.walk(tree, true));
  FAIRWAY_TRY(const auto all, facts_of_file_system(tree));
  const bool counts_honestly = all.f_files > 0;  // btrfs counts no files, and compressed blocks
  const TreeSize most{.entries = all.f_files - all.f_ffree,
                      .allocated = std::uint64_t{all.f_blocks - all.f_bfree} * all.f_frsize,
                      .can_clone = probe.size().can_clone};
  if (counts_honestly && check_space(most, into, purpose)) return {};
  FAIRWAY_TRY(const TreeSize size, measure_tree(tree, into));
  return check_space(size, into, purpose);
}

}  // namespace fairway::device
