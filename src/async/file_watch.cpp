#include "async/file_watch.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sys/inotify.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::async {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr std::uint32_t kChanges = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                   IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

}  // namespace

struct FileWatch::Impl {
  Impl(const asio::any_io_executor& executor, int fd) : events(executor, fd) {}

  Result<int> add(const fs::path& folder) {
    const int watch = ::inotify_add_watch(events.native_handle(), folder.c_str(), kChanges);
    if (watch >= 0) return watch;
    const int error = errno;
    return fail(
        error == ENOENT ? ErrorCode::NotFound : ErrorCode::Unavailable,
        fmt::format("cannot watch {}: {}{}", quoted(folder.string()), std::generic_category().message(error),
                    error == ENOSPC ? " (raise fs.inotify.max_user_watches)" : ""));
  }

  // The folder that holds the path: of its events only those that name the path count.
  Result<void> add_parent(const fs::path& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    const fs::path entry = whole.has_filename() ? whole : whole.parent_path();
    FAIRWAY_TRY(const int watch, add(entry.parent_path()));
    if (!whole_folders.contains(watch)) names[watch].insert(entry.filename().string());
    return {};
  }

  Result<void> add_folder(const fs::path& folder) {
    FAIRWAY_TRY(const int watch, add(folder));
    whole_folders.insert(watch);
    names.erase(watch);
    return {};
  }

  // What disappears while the tree is walked is a change, which its parent's watch tells of.
  Result<void> add_tree(const fs::path& root) {
    FAIRWAY_CHECKED(add_folder(root));
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied, ignored),
         end;
         !ignored && entry != end; entry.increment(ignored)) {
      std::error_code gone;
      if (!entry->is_directory(gone) || entry->is_symlink(gone)) continue;
      auto added = add_folder(entry->path());
      if (!added && added.error().code != ErrorCode::NotFound) return added;
    }
    return {};
  }

  // True when one of the events in the buffer matters.
  bool matters(std::size_t size) const {
    for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      if (event.mask & IN_Q_OVERFLOW) return true;
      const auto named = names.find(event.wd);
      if (named == names.end() || event.len == 0) return true;
      if (named->second.contains(name)) return true;
    }
    return false;
  }

  asio::posix::stream_descriptor events;
  std::set<int> whole_folders;
  std::map<int, std::set<std::string, std::less<>>> names;
  std::array<char, 16 * 1024> buffer{};
};

FileWatch::FileWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileWatch::~FileWatch() = default;

Result<std::unique_ptr<FileWatch>> FileWatch::make(asio::any_io_executor executor,
                                                   std::span<const std::string> paths) {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd < 0) {
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot watch files: {} (raise fs.inotify.max_user_instances)",
                            std::generic_category().message(errno)));
  }
  auto impl = std::make_unique<Impl>(std::move(executor), fd);
  for (const std::string& path : paths) {
    FAIRWAY_CHECKED(impl->add_parent(path));
    std::error_code ignored;
    const fs::path real = fs::canonical(path, ignored);
    if (!ignored && real != fs::absolute(path).lexically_normal()) FAIRWAY_CHECKED(impl->add_parent(real));
    if (fs::is_directory(path, ignored)) FAIRWAY_CHECKED(impl->add_tree(path));
  }
  return std::unique_ptr<FileWatch>(new FileWatch(std::move(impl)));
}

Task<void> FileWatch::wait() {
  for (;;) {
    if (co_await is_cancelled()) co_return cancelled();
    const auto [error, size] = co_await impl_->events.async_read_some(asio::buffer(impl_->buffer),
                                                                      asio::as_tuple(asio::use_awaitable));
    if (error == asio::error::operation_aborted) co_return cancelled();
    if (error)
      co_return fail(ErrorCode::Unavailable, fmt::format("watching files failed: {}", error.message()));
    if (impl_->matters(size)) co_return Result<void>{};
  }
}

}  // namespace fairway::async
