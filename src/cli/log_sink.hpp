// LogSink: where base/log.hpp's messages go in a program: lines on stderr, for people or as JSON.
//
// Text lines are coloured on a terminal unless NO_COLOR is set. Whatever a message holds, it stays one line:
// control characters are escaped. Safe to use from several threads.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "base/result.hpp"

namespace fairway::cli {

enum class LogFormat { Text, Json };

struct LogSettings {
  LogFormat format = LogFormat::Text;
  log::Level level = log::Level::Info;
};

// --log-level and --log-format.
void add_log_options(CLI::App& root, LogSettings& settings);
log::Sink make_log_sink(const LogSettings& settings);
// Text lines into a file, after those that are there. It is kept small: the newest 8 MiB, and as many before
// them in a file beside it.
Result<log::Sink> make_log_file(const std::string& file);

// While it lives, messages go there.
class LogInstead {
 public:
  explicit LogInstead(log::Sink sink) : previous_(log::set_sink(std::move(sink))) {}
  ~LogInstead() { log::set_sink(std::move(previous_)); }
  LogInstead(const LogInstead&) = delete;
  LogInstead& operator=(const LogInstead&) = delete;

 private:
  log::Sink previous_;
};

// What follows the time and the level: message  key=value key="two words".
std::string text_line(std::string_view message, const log::Fields& fields);
// The members of the JSON line besides time and level, without braces. A field never hides one of these
// three: it gets an underscore behind its name.
std::string json_members(std::string_view message, const log::Fields& fields);

// Whether text on stderr may be coloured: a terminal, no NO_COLOR (https://no-color.org), not TERM=dumb.
bool is_colour_wanted();

}  // namespace fairway::cli
