#include "cli/graph_blame.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "async/process.hpp"
#include "base/clock.hpp"
#include "base/semver.hpp"
#include "base/text.hpp"

namespace fairway::cli {
namespace {

constexpr std::string_view kCommitterTime = "committer-time ";
constexpr std::size_t kMostOutput = 256 * 1024 * 1024;

// What git printed; an error unless it ended with 0.
Result<std::string> output_of_git(std::vector<std::string> arguments) {
  const SystemClock clock;
  FAIRWAY_TRY(const ProcessResult result,
              SystemProcess(clock).run(
                  {.program = "git", .arguments = std::move(arguments), .max_output = kMostOutput}));
  if (result.exit_code != 0) {
    return fail(ErrorCode::Unavailable, fmt::format("git did not succeed: {}; --since FILE does without it",
                                                    trim(result.error_output)));
  }
  return result.output;
}

std::optional<std::string> version_in(std::string_view line) {
  std::string_view text = trim(line);
  if (!text.starts_with("- ")) return std::nullopt;
  text = trim(text.substr(2));
  text = trim(text.substr(0, text.find(" #")));
  const auto version = SemVer::parse(text);
  return version ? std::optional(version->to_string()) : std::nullopt;
}

}  // namespace

std::map<std::string, WallTime> read_blame(std::string_view text) {
  std::map<std::string, WallTime> since;
  std::optional<WallTime> time;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with(kCommitterTime)) {
      const auto seconds = parse_signed(line.substr(kCommitterTime.size()));
      if (seconds) time = WallTime(std::chrono::seconds(*seconds));
    } else if (line.starts_with('\t') && time) {
      if (const auto version = version_in(line.substr(1))) since.emplace(*version, *time);
      time.reset();
    }
  }
  return since;
}

Result<std::map<std::string, WallTime>> blame_channel(const std::string& folder, const std::string& file) {
  FAIRWAY_TRY(const std::string text,
              output_of_git({"-C", folder, "blame", "--first-parent", "--line-porcelain", "--", file}));
  return read_blame(text);
}

}  // namespace fairway::cli
