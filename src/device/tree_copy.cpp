#include "device/tree_copy.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/attributes.hpp"
#include "device/file_contents.hpp"
#include "device/files.hpp"

namespace fairway::device {
namespace {

bool same_moment(const struct stat& before, const struct stat& after) {
  const auto same = [](const timespec& a, const timespec& b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
  };
  return before.st_size == after.st_size && same(before.st_mtim, after.st_mtim) &&
         same(before.st_ctim, after.st_ctim);
}

class TreeCopier {
 public:
  TreeCopier(const std::string& from, const std::string& to, const CopyWatch& watch)
      : from_(from), to_(to), watch_(watch) {}

  Result<CopyReport> run() {
    const Descriptor source(::open(from_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return system_failure("read", from_);
    if (::mkdir(to_.c_str(), 0700) != 0) return system_failure("create", to_);
    target_ = Descriptor(::open(to_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!target_) return system_failure("read", to_);
    struct stat facts{};
    if (::fstat(source.get(), &facts) != 0) return system_failure("look at", from_);
    device_ = facts.st_dev;
    // Directories get their own attributes, and with them default ACLs, after what is in them: all that is
    // made below inherits from the parent of the whole copy or not at all.
    FAIRWAY_TRY(has_inherited_, gives_attributes(target_.get(), to_));
    FAIRWAY_CHECKED(copy_contents(source.get(), target_.get(), facts, ""));
    if (::syncfs(target_.get()) != 0) return system_failure("sync", to_);  // its own name in its parent, too
    return report_;
  }

 private:
  std::string shown(const std::string& relative) const { return from_ + "/" + relative; }

  Result<void> copy_contents(int from, int to, const struct stat& facts, const std::string& relative) {
    const std::string path = relative.empty() ? from_ : shown(relative);
    FAIRWAY_TRY(const auto names, list_directory(from, path));
    for (const std::string& name : names)
      FAIRWAY_CHECKED(copy_entry(from, to, name, relative.empty() ? name : relative + "/" + name));
    struct stat after{};
    if (::fstat(from, &after) != 0) return system_failure("look at", path);
    if (!same_moment(facts, after)) return changed(path);
    FAIRWAY_CHECKED(copy_attributes(from, to, facts, path, has_inherited_));
    ++report_.directories;
    return {};
  }

  Result<void> copy_entry(int from, int to, const std::string& name, const std::string& relative) {
    struct stat facts{};
    if (::fstatat(from, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? changed(shown(relative)) : system_failure("look at", shown(relative));
    if (facts.st_dev != device_)
      return fail(ErrorCode::Unsupported,
                  fmt::format("{} is on another file system: unmount it, or keep mounts out of the data",
                              quoted(shown(relative))));
    if (S_ISDIR(facts.st_mode)) return copy_directory(from, to, name, facts, relative);
    ++report_.files;
    if (facts.st_nlink > 1) {
      const auto [place, is_new] = links_.try_emplace(facts.st_ino, relative);
      if (!is_new) return link_to(place->second, to, name, relative);
    }
    const Result<void> copied = S_ISREG(facts.st_mode)   ? copy_file(from, to, name, facts, relative)
                                : S_ISLNK(facts.st_mode) ? copy_link(from, to, name, facts, relative)
                                                         : copy_special(from, to, name, facts, relative);
    if (copied && watch_) watch_(report_);
    return copied;
  }

  Result<void> copy_directory(int from, int to, const std::string& name, const struct stat& facts,
                              const std::string& relative) {
    const Descriptor source(::openat(from, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!source) return system_failure("read", shown(relative));
    if (::mkdirat(to, name.c_str(), 0700) != 0) return system_failure("create the copy of", shown(relative));
    const Descriptor target(::openat(to, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!target) return system_failure("create the copy of", shown(relative));
    return copy_contents(source.get(), target.get(), facts, relative);
  }

  Result<void> copy_file(int from, int to, const std::string& name, const struct stat& facts,
                         const std::string& relative) {
    constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    Descriptor source(::openat(from, name.c_str(), kFlags | O_NOATIME));
    if (!source && errno == EPERM) source = Descriptor(::openat(from, name.c_str(), kFlags));
    if (!source) return system_failure("read", shown(relative));
    // With its mode, which the mask may make smaller: nobody else can reach it, the copy's top is for its
    // owner alone.
    const Descriptor target(::openat(to, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     facts.st_mode & 0777));
    if (!target) return system_failure("create the copy of", shown(relative));
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    FAIRWAY_TRY(const bool is_cloned, contents_.copy(source.get(), target.get(), facts, shown(relative)));
    if (!is_cloned && size > 0) ++report_.copied;
    FAIRWAY_CHECKED(copy_attributes(source.get(), target.get(), facts, shown(relative), has_inherited_));
    struct stat after{};
    if (::fstat(source.get(), &after) != 0) return system_failure("look at", shown(relative));
    if (!same_moment(facts, after)) return changed(shown(relative));
    report_.bytes += size;
    return {};
  }

  Result<void> copy_link(int from, int to, const std::string& name, const struct stat& facts,
                         const std::string& relative) {
    std::string text(static_cast<std::size_t>(facts.st_size) + 1, '\0');
    const ssize_t length = ::readlinkat(from, name.c_str(), text.data(), text.size());
    if (length < 0) return system_failure("read the link", shown(relative));
    if (length != facts.st_size) return changed(shown(relative));
    text.resize(static_cast<std::size_t>(length));
    if (::symlinkat(text.c_str(), to, name.c_str()) != 0)
      return system_failure("create the copy of", shown(relative));
    return copy_attributes_at(from, to, name, facts, shown(relative), has_inherited_);
  }

  Result<void> copy_special(int from, int to, const std::string& name, const struct stat& facts,
                            const std::string& relative) {
    ++report_.special;
    if (::mknodat(to, name.c_str(), facts.st_mode & (S_IFMT | 0600), facts.st_rdev) != 0)
      return system_failure("create the copy of", shown(relative));
    return copy_attributes_at(from, to, name, facts, shown(relative), has_inherited_);
  }

  Result<void> link_to(const std::string& first, int to, const std::string& name,
                       const std::string& relative) {
    if (::linkat(target_.get(), first.c_str(), to, name.c_str(), 0) != 0)
      return system_failure("link the copy of", shown(relative));
    return {};
  }

  std::unexpected<Error> changed(const std::string& path) const {
    return fail(
        ErrorCode::Conflict,
        fmt::format("{} changed while it was copied: stop what uses the data and try again", quoted(path)));
  }

  const std::string& from_;
  const std::string& to_;
  const CopyWatch& watch_;
  Descriptor target_ = {};
  dev_t device_ = 0;
  bool has_inherited_ = false;
  ContentCopier contents_ = {};
  CopyReport report_ = {};
  std::map<ino_t, std::string> links_ = {};  // where the first name of a file was copied to
};

}  // namespace

Result<CopyReport> copy_tree(const std::string& from, const std::string& to, const CopyWatch& watch) {
  return TreeCopier(from, to, watch).run();
}

}  // namespace fairway::device
