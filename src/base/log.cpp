#include "base/log.hpp"

#include <atomic>
#include <memory>
#include <mutex>

#include "base/result.hpp"

namespace fairway::log {
namespace {

std::mutex& sink_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::shared_ptr<Sink>& current_sink() {
  static auto sink = std::make_shared<Sink>();
  return sink;
}

constexpr int kOff = 1 + static_cast<int>(Level::Error);
std::atomic<int> lowest_level{kOff};

}  // namespace

std::string_view to_string(Level level) {
  switch (level) {
    case Level::Debug:
      return "debug";
    case Level::Info:
      return "info";
    case Level::Warning:
      return "warning";
    case Level::Error:
      return "error";
  }
  FAIRWAY_CHECK(false, "a log level outside its enumeration");
}

Sink set_sink(Sink sink, Level lowest) {
  const bool is_set = static_cast<bool>(sink);
  auto replacement = std::make_shared<Sink>(std::move(sink));
  std::lock_guard lock(sink_mutex());
  lowest_level = is_set ? static_cast<int>(lowest) : kOff;
  std::swap(current_sink(), replacement);
  return *replacement;
}

bool is_enabled(Level level) {
  return static_cast<int>(level) >= lowest_level.load(std::memory_order_relaxed);
}

void write(Level level, std::string_view message, const Fields& fields) {
  if (!is_enabled(level)) return;
  std::shared_ptr<Sink> sink;
  {
    std::lock_guard lock(sink_mutex());
    sink = current_sink();
  }
  if (*sink) (*sink)(level, message, fields);
}

}  // namespace fairway::log
