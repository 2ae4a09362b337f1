#include "promql/exposition_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"

namespace fairway::promql {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

class LineReader {
 public:
  LineReader(std::string_view line, bool open_metrics) : line_(line), open_metrics_(open_metrics) {}

  std::expected<SampleLine, LineError> read() {
    skip_blanks();
    if (!read_name() || !read_labels() || !check_labels()) return std::unexpected(error_);
    SampleLine result;
    if (!read_value(result.value) || !read_time(result.time) || !read_rest()) return std::unexpected(error_);
    result.labels = Labels::from(std::move(labels_));
    return result;
  }

 private:
  bool at_end() const { return at_ >= line_.size(); }
  char peek() const { return at_end() ? '\0' : line_[at_]; }
  void skip_blanks() {
    while (!at_end() && is_blank(peek())) ++at_;
  }
  std::string found() const { return at_end() ? "the end of the line" : quoted(line_.substr(at_, 1)); }
  bool refuse(std::string message) { return refuse_at(at_, std::move(message)); }
  bool refuse_at(std::size_t where, std::string message) {
    error_ = {where + 1, std::move(message)};
    return false;
  }

  std::string_view read_word(std::string_view more) {
    const std::size_t start = at_;
    const auto is_word = [&](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             (at_ > start && c >= '0' && c <= '9') || more.find(c) != std::string_view::npos;
    };
    while (!at_end() && is_word(peek())) ++at_;
    return line_.substr(start, at_ - start);
  }

  bool read_name() {
    if (peek() == '{') return true;  // the name stands quoted inside the braces
    const std::string_view name = read_word(":");
    if (name.empty()) return refuse(fmt::format("expected a metric name, found {}", found()));
    labels_.emplace_back(kMetricName, name);
    return true;
  }

  bool read_labels() {
    skip_blanks();
    if (peek() != '{') return true;
    ++at_;
    for (skip_blanks(); peek() != '}'; skip_blanks()) {
      if (!read_label()) return false;
      skip_blanks();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != '}') {
        return refuse(fmt::format("expected \",\" or \"}}\" after a label, found {}", found()));
      }
    }
    ++at_;
    return true;
  }

  // name="value", "quoted name"="value", or the metric's name alone in quotes.
  bool read_label() {
    const std::size_t start = at_;
    std::string name;
    const bool is_quoted = peek() == '"';
    if (is_quoted) {
      if (!read_quoted(name)) return false;
    } else {
      name = read_word("");
      if (name.empty()) return refuse(fmt::format("expected a label name, found {}", found()));
    }
    if (name.empty()) return refuse_at(start, "expected a name, found an empty text");
    skip_blanks();
    if (is_quoted && peek() != '=') return add_quoted_name(start, std::move(name));
    if (peek() != '=') return refuse(fmt::format("expected \"=\" after a label name, found {}", found()));
    ++at_;
    skip_blanks();
    if (peek() != '"') return refuse(fmt::format("expected a label value in quotes, found {}", found()));
    std::string value;
    if (!read_quoted(value)) return false;
    labels_.emplace_back(std::move(name), std::move(value));
    return true;
  }

  bool add_quoted_name(std::size_t start, std::string name) {
    if (!labels_.empty()) return refuse_at(start, "expected the metric name once, before the labels");
    labels_.emplace_back(kMetricName, std::move(name));
    return true;
  }

  bool read_quoted(std::string& into) {
    const std::size_t start = at_++;
    for (; !at_end(); ++at_) {
      char c = peek();
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\' && at_ + 1 < line_.size()) {
        const char next = line_[++at_];
        c = next == 'n' ? '\n' : next;
        if (next != 'n' && next != '"' && next != '\\') into += '\\';  // as it stands
      }
      into += c;
    }
    return refuse_at(start, "expected a quote that closes this one");
  }

  bool check_labels() {
    if (std::none_of(labels_.begin(), labels_.end(), [](const auto& l) { return l.first == kMetricName; })) {
      return refuse_at(0, "expected a metric name, found labels alone");
    }
    std::vector<std::string_view> names;
    for (const auto& label : labels_) names.push_back(label.first);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return true;
    return refuse_at(0, fmt::format("label {} stands there twice", quoted(*twice)));
  }

  std::string_view read_field() {
    skip_blanks();
    const std::size_t start = at_;
    while (!at_end() && !is_blank(peek())) ++at_;
    return line_.substr(start, at_ - start);
  }

  bool read_value(double& into) {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view field = read_field();
    const auto value = parse_value(field);
    if (!value) {
      return refuse_at(start, field.empty() ? "expected a value, found the end of the line"
                                            : fmt::format("expected a number, found {}", quoted(field)));
    }
    into = *value;
    return true;
  }

  bool read_time(std::optional<Millis>& into) {
    skip_blanks();
    if (at_end() || peek() == '#') return true;
    const std::size_t start = at_;
    const std::string_view field = read_field();
    if (open_metrics_) {
      const auto seconds = parse_value(field);
      if (seconds && std::abs(*seconds) < 1e12) into = std::llround(*seconds * 1000);
    } else if (const auto millis = parse_signed(field)) {
      into = millis;
    }
    if (into && std::abs(*into) <= kFarthest) return true;
    return refuse_at(start, fmt::format("expected a time in {} since 1970, found {}",
                                        open_metrics_ ? "seconds" : "milliseconds", quoted(field)));
  }

  // OpenMetrics may add an exemplar: ` # {labels} value [time]`. It is no sample.
  bool read_rest() {
    skip_blanks();
    if (at_end()) return true;
    if (open_metrics_ && peek() == '#') return true;
    return refuse(fmt::format("expected the end of the line, found {}", found()));
  }

  static constexpr Millis kFarthest = 1'000'000'000'000'000;  // some 30,000 years from 1970

  std::string_view line_;
  bool open_metrics_;
  std::size_t at_ = 0;
  std::vector<std::pair<std::string, std::string>> labels_;
  LineError error_;
};

constexpr std::array<std::string_view, 9> kTypes = {
    "counter", "gauge", "histogram", "summary", "untyped", "unknown", "info", "stateset", "gaugehistogram"};

}  // namespace

std::expected<SampleLine, LineError> read_sample_line(std::string_view line, bool open_metrics) {
  return LineReader(line, open_metrics).read();
}

std::optional<LineError> check_comment(std::string_view line) {
  const auto words = split_words(line);
  if (words.size() < 2 || words[1] != "TYPE") return std::nullopt;
  if (words.size() < 4) return LineError{1, "expected a metric name and a type after \"# TYPE\""};
  const std::string_view type = words.back();  // a quoted name may hold blanks
  if (std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end()) return std::nullopt;
  const auto column = static_cast<std::size_t>(type.data() - line.data()) + 1;
  return LineError{column,
                   fmt::format("expected a metric type such as counter or gauge, found {}", quoted(type))};
}

}  // namespace fairway::promql
