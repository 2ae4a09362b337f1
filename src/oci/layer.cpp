#include "oci/layer.hpp"

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/text.hpp"
#include "oci/archive.hpp"

namespace fairway::oci {

// Two threads that take turns: only the one whose turn it is touches what both know.
struct LayerReader::Impl {
  enum class Turn { Caller, Decoder };

  Impl(LayerLimits its_limits, LayerHandlers its_handlers)
      : limits(its_limits), handlers(std::move(its_handlers)) {}

  LayerLimits limits;
  LayerHandlers handlers;
  std::mutex mutex;
  std::condition_variable changed;
  Turn turn = Turn::Caller;
  std::string_view input;
  bool is_input_new = false;  // not yet given to the decoder
  bool is_abandoned = false;
  std::optional<Result<void>> outcome;
  std::thread thread;

  // Gives the turn to the decoder and waits until it comes back.
  Result<void> let_decode(std::string_view bytes) {
    std::unique_lock lock(mutex);
    if (outcome) return *outcome;
    input = bytes;
    is_input_new = true;
    turn = Turn::Decoder;
    if (!thread.joinable() && !start()) return *outcome;
    changed.notify_all();
    changed.wait(lock, [this] { return turn == Turn::Caller; });
    return outcome.value_or(Result<void>{});
  }

  // Has the decoder end, if it has not: it waits for its turn, and is told that there will be none.
  void abandon() {
    const std::lock_guard lock(mutex);
    is_abandoned = true;
    turn = Turn::Decoder;
    changed.notify_all();
  }

  bool start() {
    try {
      thread = std::thread([this] { decode(); });
      return true;
    } catch (const std::system_error& error) {
      turn = Turn::Caller;
      outcome = fail(ErrorCode::Unavailable, fmt::format("no thread to decode a layer: {}", error.what()));
      return false;
    }
  }

  void decode() {
    auto result = decode_archive([this] { return next(); }, limits, handlers);
    const std::lock_guard lock(mutex);
    outcome = std::move(result);
    turn = Turn::Caller;
    changed.notify_all();
  }

  Result<std::string_view> next() {
    std::unique_lock lock(mutex);
    if (!is_input_new && !is_abandoned) {
      turn = Turn::Caller;
      changed.notify_all();
      changed.wait(lock, [this] { return turn == Turn::Decoder; });
    }
    is_input_new = false;
    if (is_abandoned) return fail(ErrorCode::Cancelled, "nobody waits for this layer any more");
    return input;
  }
};

LayerReader::LayerReader(LayerLimits limits, LayerHandlers handlers)
    : impl_(std::make_unique<Impl>(limits, std::move(handlers))) {}

LayerReader::~LayerReader() {
  if (!impl_->thread.joinable()) return;
  impl_->abandon();
  impl_->thread.join();
}

Result<void> LayerReader::feed(std::string_view bytes) {
  if (bytes.empty()) return impl_->outcome.value_or(Result<void>{});
  return impl_->let_decode(bytes);
}

Result<void> LayerReader::finish() {
  auto done = impl_->let_decode({});
  // libarchive may ask once more at the end.
  while (done && !impl_->outcome) done = impl_->let_decode({});
  return done;
}

namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  ssize_t read(std::string& into) const {
    for (;;) {
      const ssize_t count = ::read(descriptor_, into.data(), into.size());
      if (count >= 0 || errno != EINTR) return count;
    }
  }

 private:
  int descriptor_;
};

std::unexpected<Error> file_error(const std::string& path, int code) {
  const ErrorCode kind = code == ENOENT   ? ErrorCode::NotFound
                         : code == EACCES ? ErrorCode::Forbidden
                                          : ErrorCode::Invalid;
  return fail(kind, fmt::format("cannot read {}: {}", quoted(path), std::generic_category().message(code)));
}

}  // namespace

Result<void> read_archive_file(const std::string& path, const LayerLimits& limits,
                               const LayerHandlers& handlers) {
  const OpenFile file(path);
  if (!file.is_open()) return file_error(path, errno);
  std::string buffer(256 * 1024, '\0');
  const auto next = [&]() -> Result<std::string_view> {
    const ssize_t count = file.read(buffer);
    if (count < 0) return file_error(path, errno);
    return std::string_view(buffer.data(), static_cast<std::size_t>(count));
  };
  auto done = decode_archive(next, limits, handlers);
  if (!done) return std::unexpected(std::move(done.error()).within(fmt::format("archive {}", quoted(path))));
  return done;
}

}  // namespace fairway::oci
