#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>

#include "apiserver/audit.hpp"
#include "apiserver/audit_file.hpp"
#include "base/log.hpp"

namespace fairway::apiserver {

struct AuditLog::Impl {
  explicit Impl(AuditLogOptions wanted)
      : options(std::move(wanted)), file(options.path, options.max_bytes, options.max_files) {}

  void run();
  void write_all(const std::vector<std::string>& lines);
  // Told once when it begins and once when it is over.
  void report(std::uint64_t lost_waiting);

  const AuditLogOptions options;
  AuditFile file;  // of the thread

  mutable std::mutex mutex;
  std::condition_variable has_work;
  std::condition_variable is_idle;
  std::vector<std::string> waiting;
  bool is_writing = false;
  bool wants_reopen = false;
  bool wants_end = false;
  AuditStats stats;

  bool is_failing = false;             // of the thread
  std::uint64_t reported_waiting = 0;  // of the thread
  std::thread thread;
};

void AuditLog::Impl::write_all(const std::vector<std::string>& lines) {
  std::uint64_t written = 0;
  std::uint64_t lost = 0;
  for (const std::string& line : lines) {
    const auto done = file.append(line);
    ++(done ? written : lost);
    if (!done && !is_failing) {
      log::error("audit events are being lost", {{"error", done.error().describe()}});
    }
    if (done && is_failing) log::info("the audit log is written again", {{"file", options.path}});
    is_failing = !done;
  }
  const std::lock_guard lock(mutex);
  stats.written += written;
  stats.dropped_disk += lost;
}

void AuditLog::Impl::report(std::uint64_t lost_waiting) {
  if (lost_waiting == reported_waiting) return;
  log::error("audit events were lost because too many waited",
             {{"lost", fmt::to_string(lost_waiting - reported_waiting)}, {"file", options.path}});
  reported_waiting = lost_waiting;
}

void AuditLog::Impl::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    has_work.wait(lock, [&] { return !waiting.empty() || wants_reopen || wants_end; });
    std::vector<std::string> lines = std::move(waiting);
    waiting.clear();
    const bool reopens = std::exchange(wants_reopen, false);
    const std::uint64_t lost_waiting = stats.dropped_waiting;
    if (lines.empty() && !reopens) break;
    is_writing = true;
    lock.unlock();
    if (reopens) file.close();
    if (reopens && lines.empty()) {
      if (const auto opened = file.open(); !opened) {
        log::error("the audit log cannot be opened", {{"error", opened.error().describe()}});
      }
    }
    write_all(lines);
    report(lost_waiting);
    lock.lock();
    is_writing = false;
    if (waiting.empty() && !wants_reopen) is_idle.notify_all();
  }
}

AuditLog::AuditLog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  impl_->thread = std::thread([this] { impl_->run(); });
}

Result<std::unique_ptr<AuditLog>> AuditLog::open(AuditLogOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  FAIRWAY_CHECKED(impl->file.open());
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(impl)));
}

AuditLog::~AuditLog() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->wants_end = true;
  }
  impl_->has_work.notify_one();
  impl_->thread.join();
}

void AuditLog::write(const json::Object& event) {
  std::string line = json::serialize(event) + "\n";
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->waiting.size() >= impl_->options.max_waiting) {
      ++impl_->stats.dropped_waiting;
      return;
    }
    impl_->waiting.push_back(std::move(line));
  }
  impl_->has_work.notify_one();
}

void AuditLog::reopen() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->wants_reopen = true;
  }
  impl_->has_work.notify_one();
}

void AuditLog::flush() {
  std::unique_lock lock(impl_->mutex);
  impl_->is_idle.wait(lock,
                      [&] { return impl_->waiting.empty() && !impl_->is_writing && !impl_->wants_reopen; });
}

AuditStats AuditLog::stats() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->stats;
}

}  // namespace fairway::apiserver
