#include "promql/promqltest_series.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "promql/matcher.hpp"
#include "promql/parser.hpp"
#include "promql/sample.hpp"

namespace fairway::promql {
namespace {

constexpr std::size_t kMostValues = 1'000'000;  // of a line: `1x1000000000` must not fill the memory

// Where the metric ends and the values begin: the first blank outside braces and quotes.
std::size_t metric_end(std::string_view line) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == '\\' && quote != '`') {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if (c == '"' || c == '\'' || c == '`') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (--depth == 0) return i + 1;
    } else if (depth == 0 && (c == ' ' || c == '\t')) {
      const std::size_t next = line.find_first_not_of(" \t", i);
      if (next == std::string_view::npos || line[next] != '{' || line.substr(next).starts_with("{{"))
        return i;
    }
  }
  return line.size();
}

// A metric is written as a selector of equalities is. `{}` selects nothing, so it is not asked.
Result<Labels> parse_metric(std::string_view text) {
  std::string compact(trim(text));
  const std::string_view inside = trim(std::string_view(compact).substr(compact.find('{') + 1));
  if (compact.starts_with('{') && inside == "}") return Labels{};
  const auto expr = parse(compact, ParseOptions::all_enabled());
  if (!expr) return std::unexpected(expr.error().to_error(compact));
  const auto* selector = expr->root().as<VectorSelector>();
  if (!selector) return fail(ErrorCode::Invalid, fmt::format("expected a metric, found {}", quoted(compact)));
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!selector->name.empty()) pairs.emplace_back(kMetricName, selector->name);
  for (const Matcher& matcher : selector->matchers) {
    if (matcher.op != MatchOp::Equal) {
      return fail(ErrorCode::Invalid, fmt::format("expected a metric, found the selector {}", quoted(text)));
    }
    pairs.emplace_back(matcher.name, matcher.value);
  }
  return Labels::from(std::move(pairs));
}

class ValueReader {
 public:
  explicit ValueReader(std::string_view text) : rest_(text) {}

  Result<void> read(SeriesLine& into) {
    for (skip_blanks(); !rest_.empty(); skip_blanks()) {
      const std::string_view before = rest_;
      if (!read_item(into)) {
        return fail(ErrorCode::Invalid, fmt::format("expected a value such as 1, 1+2x3, _ or stale, found {}",
                                                    quoted(before.substr(0, before.find_first_of(" \t")))));
      }
      if (into.values.size() > kMostValues) {
        return fail(ErrorCode::Invalid, fmt::format("more than {} values in a line", kMostValues));
      }
    }
    return {};
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool at_blank() const { return rest_.empty() || rest_.front() == ' ' || rest_.front() == '\t'; }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool read_item(SeriesLine& into) {
    if (take("_")) return read_repeated(into, {0, true}, false);
    if (take("stale")) return read_repeated(into, {stale_marker(), false}, true);
    if (rest_.starts_with("{{")) return read_histograms(into);
    const auto first = read_number();
    if (!first) return false;
    if (rest_.starts_with('+') || rest_.starts_with('-')) return read_progression(into, *first);
    return read_repeated(into, {*first, false}, true);
  }

  // _xN stands for N omitted steps, but VxN for V and N more.
  bool read_repeated(SeriesLine& into, SequenceValue value, bool counts_first) {
    std::optional<std::uint64_t> times = 0;
    const bool repeated = take("x");
    if (repeated) times = read_count();
    if (!times || !at_blank()) return false;
    const std::uint64_t count = *times + (counts_first || !repeated ? 1 : 0);
    into.values.insert(into.values.end(), static_cast<std::size_t>(count), value);
    return true;
  }

  bool read_progression(SeriesLine& into, double value) {
    const auto step = read_number();
    if (!step || !take("x")) return false;
    const auto times = read_count();
    if (!times || !at_blank()) return false;
    for (std::uint64_t i = 0; i <= *times; ++i) {
      into.values.push_back({value, false});
      value += *step;
    }
    return true;
  }

  // {{…}}, {{…}}xN and {{…}}+{{…}}xN: known, but not supported.
  bool read_histograms(SeriesLine& into) {
    into.has_histograms = true;
    for (;;) {
      const std::size_t end = rest_.find("}}");
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 2);
      if ((rest_.starts_with("+{{") || rest_.starts_with("-{{"))) {
        rest_.remove_prefix(1);
        continue;
      }
      return read_repeated(into, {0, true}, true);
    }
  }

  std::optional<std::uint64_t> read_count() {
    const std::size_t end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const auto count = parse_unsigned(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return count && *count <= kMostValues ? count : std::nullopt;
  }

  // Decimal only: in 0x10 the x means "times".
  std::optional<double> read_number() {
    std::size_t end = rest_.starts_with('+') || rest_.starts_with('-') ? 1 : 0;
    const auto word = to_lower(rest_.substr(end, 3));
    if (word == "inf" || word == "nan") {
      end += 3;
    } else {
      const auto skip_digits = [&] {
        end = std::min(rest_.find_first_not_of("0123456789", end), rest_.size());
      };
      skip_digits();
      if (end < rest_.size() && rest_[end] == '.') {
        ++end;
        skip_digits();
      }
      if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
        ++end;
        if (end < rest_.size() && (rest_[end] == '+' || rest_[end] == '-')) ++end;
        skip_digits();
      }
    }
    const auto value = parse_value(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return value;
  }

  std::string_view rest_;
};

}  // namespace

Result<SeriesLine> parse_series_line(std::string_view line) {
  const std::size_t end = metric_end(line);
  SeriesLine result;
  FAIRWAY_TRY(result.labels, parse_metric(line.substr(0, end)));
  FAIRWAY_CHECKED(ValueReader(line.substr(end)).read(result));
  return result;
}

}  // namespace fairway::promql
