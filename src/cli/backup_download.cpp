#include "cli/backup_download.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"
#include "http/client.hpp"
#include "kube/client/transport.hpp"
#include "kube/core/status.hpp"
#include "store/files.hpp"

namespace fairway::cli {
namespace {

constexpr std::string_view kBackupPath = "/fairway/backup";
constexpr Duration kLongestCopy = std::chrono::minutes(30);  // the server copies before it answers
constexpr Duration kLongestPause = std::chrono::minutes(1);

Error cannot(std::string_view what, const std::string& path, int error) {
  return {ErrorCode::Unavailable,
          fmt::format("{} {}: {}", what, quoted(path), std::generic_category().message(error))};
}

// What arrives, under another name until it is complete; left behind, it is removed.
class PartialFile {
 public:
  static Result<PartialFile> make(const std::string& path) {
    PartialFile file(path + ".partial");
    const int descriptor =
        ::open(file.path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return std::unexpected(cannot("cannot write", std::exchange(file.path_, ""), errno));
    file.handle_ = store::FileHandle(descriptor);
    return file;
  }
  PartialFile(PartialFile&& other) noexcept
      : path_(std::exchange(other.path_, "")), handle_(std::move(other.handle_)) {}
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  Result<void> append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(handle_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return std::unexpected(cannot("cannot write", path_, errno));
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  Result<void> finish(const std::string& path) {
    FAIRWAY_CHECKED(store::sync_to_disk(path_));
    FAIRWAY_CHECKED(store::replace_file(path_, path));
    path_.clear();
    return {};
  }

 private:
  explicit PartialFile(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: nothing to remove
  store::FileHandle handle_;
};

Task<std::string> read_all(http::ResponseStream& stream) {
  std::string text;
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream.read(kLongestPause));
    if (piece.empty()) co_return text;
    text += piece;
  }
}

// The hub's API is the server's own, whichever logical cluster the context is for.
http::Url backup_url(http::Url server) {
  server.path = std::string(kBackupPath);
  return server;
}

}  // namespace

Task<void> download_backup(async::EventLoop& loop, kube::ClientConfig server, std::string file) {
  FAIRWAY_CO_TRY(const auto transport, kube::make_transport(loop.executor(), loop.clock(), server));
  http::ClientRequest request{.method = "POST", .url = backup_url(server.server), .timeout = kLongestCopy};
  FAIRWAY_CO_TRY(const auto stream, co_await transport->open(std::move(request)));
  if (stream->status() != 200) {
    FAIRWAY_CO_TRY(const std::string body, co_await read_all(*stream));
    co_return std::unexpected(kube::error_of_response(stream->status(), body));
  }
  FAIRWAY_CO_TRY(PartialFile partial, PartialFile::make(file));
  for (;;) {
    FAIRWAY_CO_TRY(const std::string piece, co_await stream->read(kLongestPause));
    if (piece.empty()) break;
    FAIRWAY_CO_CHECKED(partial.append(piece));
  }
  co_return partial.finish(file);
}

}  // namespace fairway::cli
