#include "cli/log_sink.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "json/value.hpp"

namespace fairway::cli {
namespace {

constexpr std::string_view kTextPattern = "%Y-%m-%d %H:%M:%S.%e %^%-7l%$ %v";
constexpr std::string_view kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})";

constexpr std::size_t kMostFileBytesOfLog = 8 * 1024 * 1024;

spdlog::level::level_enum spdlog_level(log::Level level) {
  switch (level) {
    case log::Level::Debug:
      return spdlog::level::debug;
    case log::Level::Info:
      return spdlog::level::info;
    case log::Level::Warning:
      return spdlog::level::warn;
    case log::Level::Error:
      return spdlog::level::err;
  }
  FAIRWAY_CHECK(false, "a log level outside its enumeration");
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && c != '"' && c != '=' && c != '\\';
}

bool needs_quotes(std::string_view value) {
  return value.empty() || !std::ranges::all_of(value, is_plain) || !is_valid_utf8(value);
}

// As it is where that is safe; quoted() escapes the rest, and shortens it.
std::string one_line(std::string_view message) {
  const bool is_safe = is_valid_utf8(message) && std::ranges::none_of(message, [](char c) {
                         const auto byte = static_cast<unsigned char>(c);
                         return byte < 0x20 || byte == 0x7f;
                       });
  return is_safe ? std::string(message) : quoted(message);
}

std::string json_text(std::string_view text) {
  return json::serialize(is_valid_utf8(text) ? json::Value(text) : json::Value(quoted(text)));
}

log::Sink sink_of(std::shared_ptr<spdlog::logger> logger, bool is_json) {
  logger->set_level(spdlog::level::trace);  // base/log.hpp has already decided
  logger->flush_on(spdlog::level::trace);
  return [logger, is_json](log::Level level, std::string_view message, const log::Fields& fields) {
    const std::string line = is_json ? json_members(message, fields) : text_line(message, fields);
    logger->log(spdlog_level(level), spdlog::string_view_t(line));
  };
}

}  // namespace

void add_log_options(CLI::App& root, LogSettings& settings) {
  choice(
      *root.add_option_function<std::string>(
          "--log-level",
          [&settings](const std::string& name) {
            for (auto level : {log::Level::Debug, log::Level::Info, log::Level::Warning, log::Level::Error}) {
              if (log::to_string(level) == name) settings.level = level;
            }
          },
          "The least important messages to log"),
      {"debug", "info", "warning", "error"})
      .default_str("info");
  choice(*root.add_option_function<std::string>(
             "--log-format",
             [&settings](const std::string& name) {
               settings.format = name == "json" ? LogFormat::Json : LogFormat::Text;
             },
             "How messages are written to stderr"),
         {"text", "json"})
      .default_str("text");
}

std::string text_line(std::string_view message, const log::Fields& fields) {
  std::string line = one_line(message);
  const char* separator = "  ";
  for (const auto& [name, value] : fields) {
    line += separator;
    line += name;
    line += '=';
    line += needs_quotes(value) ? quoted(value) : value;
    separator = " ";
  }
  return line;
}

std::string json_members(std::string_view message, const log::Fields& fields) {
  std::string line = "\"message\":" + json_text(message);
  for (const auto& [name, value] : fields) {
    const bool is_taken = name == "time" || name == "level" || name == "message";
    line += ',' + json_text(is_taken ? std::string(name) + '_' : std::string(name)) + ':' + json_text(value);
  }
  return line;
}

bool is_colour_wanted() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return ::isatty(STDERR_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

log::Sink make_log_sink(const LogSettings& settings) {
  const bool is_json = settings.format == LogFormat::Json;
  const auto mode = !is_json && is_colour_wanted() ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(mode);
  sink->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      std::string(is_json ? kJsonPattern : kTextPattern),
      is_json ? spdlog::pattern_time_type::utc : spdlog::pattern_time_type::local));
  auto logger = std::make_shared<spdlog::logger>("fairway", std::move(sink));
  return sink_of(std::move(logger), is_json);
}

Result<log::Sink> make_log_file(const std::string& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, kMostFileBytesOfLog, 1);
    sink->set_pattern(std::string(kTextPattern));
    return sink_of(std::make_shared<spdlog::logger>("fairway", std::move(sink)), false);
  } catch (const spdlog::spdlog_ex& error) {
    return fail(ErrorCode::Unavailable, fmt::format("cannot log to {}: {}", quoted(file), error.what()));
  }
}

}  // namespace fairway::cli
