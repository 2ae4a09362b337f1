#include "promql/exposition.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "base/text.hpp"
#include "promql/exposition_line.hpp"

namespace fairway::promql {
namespace {

constexpr std::string_view kEndMark = "# EOF";

bool ends_with_mark(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text == kEndMark || text.ends_with("\n# EOF");
}

Error at(std::size_t line, const LineError& error) {
  return {ErrorCode::Invalid, fmt::format("line {}, column {}: {}", line, error.column, error.message)};
}

// Reads one text from its first line to its last.
class Reader {
 public:
  Reader(std::string_view text, const ExpositionOptions& options)
      : rest_(text), options_(options), open_metrics_(is_open_metrics(text, options)) {}

  Result<Exposition> read() {
    while (!rest_.empty()) {
      ++line_;
      FAIRWAY_CHECKED(read_line(next_line()));
    }
    if (open_metrics_ && !ended_) {
      return fail(
          ErrorCode::Invalid,
          fmt::format("line {}: expected the text to end with \"# EOF\", as OpenMetrics does", line_));
    }
    return std::move(result_);
  }

 private:
  static bool is_open_metrics(std::string_view text, const ExpositionOptions& options) {
    if (options.format == ExpositionFormat::Detect) return ends_with_mark(text);
    return options.format == ExpositionFormat::OpenMetrics;
  }

  std::string_view next_line() {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  Result<void> read_line(std::string_view line) {
    if (line.size() > options_.max_line_bytes) {
      return fail(ErrorCode::Invalid, fmt::format("line {}: {} bytes, more than the limit of {} bytes a line",
                                                  line_, line.size(), options_.max_line_bytes));
    }
    if (ended_) {
      return fail(ErrorCode::Invalid, fmt::format("line {}: expected nothing after \"# EOF\"", line_));
    }
    if (!is_valid_utf8(line)) {
      return fail(ErrorCode::Invalid, fmt::format("line {}: expected UTF-8, found other bytes", line_));
    }
    if (open_metrics_ && line == kEndMark) {
      ended_ = true;
      return {};
    }
    const std::string_view content = trim(line);
    if (content.empty()) return {};
    if (content.front() == '#') {
      if (const auto error = check_comment(content)) return std::unexpected(at(line_, *error));
      return {};
    }
    return read_sample(line);
  }

  Result<void> read_sample(std::string_view line) {
    if (result_.samples.size() >= options_.max_samples) {
      return fail(ErrorCode::Invalid,
                  fmt::format("line {}: more samples than the limit of {}", line_, options_.max_samples));
    }
    auto parsed = read_sample_line(line, open_metrics_);
    if (!parsed) return std::unexpected(at(line_, parsed.error()));
    if (parsed->time) result_.newest = std::max(result_.newest.value_or(*parsed->time), *parsed->time);
    result_.samples.push_back({std::move(parsed->labels), parsed->time, parsed->value, line_});
    return {};
  }

  std::string_view rest_;
  const ExpositionOptions& options_;
  const bool open_metrics_;
  bool ended_ = false;
  std::size_t line_ = 0;
  Exposition result_;
};

}  // namespace

Result<Exposition> read_exposition(std::string_view text, const ExpositionOptions& options) {
  if (text.size() > options.max_bytes) {
    return fail(ErrorCode::Invalid, fmt::format("metrics of {} bytes, more than the limit of {} bytes",
                                                text.size(), options.max_bytes));
  }
  return Reader(text, options).read();
}

Result<void> store_exposition(const Exposition& exposition, Millis scraped, SeriesStore& store) {
  for (const ExposedSample& sample : exposition.samples) {
    const auto added = store.add(sample.labels, {sample.time.value_or(scraped), sample.value});
    if (!added) return std::unexpected(added.error().within(fmt::format("line {}", sample.line)));
  }
  store.settle();
  return {};
}

}  // namespace fairway::promql
