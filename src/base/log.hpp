// Log: structured messages, without I/O. Whoever owns the process installs a sink (cli/log_sink.cpp writes
// text or JSON lines to stderr); until then messages are dropped, so that libraries and tests stay quiet.
//
// log::info("listening", {{"address", "127.0.0.1:6443"}});
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairway::log {

enum class Level { Debug, Info, Warning, Error };
std::string_view to_string(Level level);

using Field = std::pair<std::string_view, std::string>;
using Fields = std::vector<Field>;
using Sink = std::function<void(Level, std::string_view message, const Fields&)>;

// Replaces the sink; the previous one is returned. Thread-safe. An empty sink drops.
Sink set_sink(Sink sink, Level lowest = Level::Info);
bool is_enabled(Level level);

void write(Level level, std::string_view message, const Fields& fields = {});
inline void debug(std::string_view message, const Fields& fields = {}) {
  write(Level::Debug, message, fields);
}
inline void info(std::string_view message, const Fields& fields = {}) {
  write(Level::Info, message, fields);
}
inline void warning(std::string_view message, const Fields& fields = {}) {
  write(Level::Warning, message, fields);
}
inline void error(std::string_view message, const Fields& fields = {}) {
  write(Level::Error, message, fields);
}

}  // namespace fairway::log
