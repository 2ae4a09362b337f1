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

  Result<void> walk(const std::string& path) {
    FAIRWAY_TRY(const auto names, list_if_exists(path));
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
      const std::string child = path + "/" + name;
      FAIRWAY_TRY(const auto facts, stat_if_exists(child));
      if (!facts) continue;
      count(*facts);
      if (S_ISDIR(facts->st_mode)) {
        FAIRWAY_CHECKED(walk(child));
      } else if (S_ISREG(facts->st_mode) && facts->st_size > 0 && !has_tried_) {
        try_clone(child);
      }
    }
    return {};
  }

  const TreeSize& size() const { return size_; }

 private:
  void count(const struct stat& facts) {
    ++size_.entries;
    if (!S_ISDIR(facts.st_mode) && facts.st_nlink > 1 && !seen_.insert(facts.st_ino).second) return;
    size_.allocated += static_cast<std::uint64_t>(facts.st_blocks) * kBlock;
  }

  void try_clone(const std::string& path) {
    has_tried_ = true;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    size_.can_clone = file && can_clone_into(file.get(), into_);
  }

  const std::string& into_;
  TreeSize size_ = {};
  bool has_tried_ = false;
  std::set<ino_t> seen_ = {};
};

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
  struct statvfs facts{};
  if (::statvfs(into.c_str(), &facts) != 0) return system_failure("ask for the free space of", into);
  const std::uint64_t available = std::uint64_t{facts.f_bavail} * facts.f_frsize;
  const std::uint64_t required = needed_bytes(size);
  if (required <= available) return {};
  return fail(ErrorCode::Unavailable,
              fmt::format("not enough disk space in \"{}\" to {}: required={}M available={}M", into, purpose,
                          (required + kMiB - 1) / kMiB, available / kMiB));
}

}  // namespace fairway::device
