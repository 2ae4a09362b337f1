#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "promql/evaluation.hpp"
#include "promql/regex.hpp"

namespace fairway::promql {
namespace {

bool is_label_name(std::string_view name) {
  return !name.empty() && is_valid_utf8(name);
}

bool is_word(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A replacement as Go's regexp expands it: $1, $name, ${name}, $$. A name goes as far as it can: $1x is the
// group 1x. What names no group is empty, and a $ before anything else stands for itself.
class Replacement {
 public:
  Replacement(std::string_view text, const Regex& regex) {
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] != '$' || i + 1 == text.size()) {
        add_literal(text[i++]);
      } else if (text[i + 1] == '$') {
        add_literal('$');
        i += 2;
      } else {
        i = add_group(text, i, regex);
      }
    }
  }

  std::string expand(std::span<const std::string_view> groups) const {
    std::string result;
    for (const Part& part : parts_) {
      result += part.literal;
      if (part.group && *part.group < groups.size()) result += groups[*part.group];
    }
    return result;
  }

 private:
  struct Part {
    std::string literal;
    std::optional<std::size_t> group;  // after the literal
  };

  void add_literal(char c) {
    if (parts_.empty() || parts_.back().group) parts_.push_back({});
    parts_.back().literal += c;
  }

  std::size_t add_group(std::string_view text, std::size_t dollar, const Regex& regex) {
    const bool in_braces = text[dollar + 1] == '{';
    const std::size_t start = dollar + (in_braces ? 2 : 1);
    std::size_t end = start;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == start || (in_braces && (end == text.size() || text[end] != '}'))) {
      add_literal('$');
      return dollar + 1;
    }
    Part part;
    part.group = group_number(text.substr(start, end - start), regex);
    if (part.group) parts_.push_back(std::move(part));
    return end + (in_braces ? 1 : 0);
  }

  static std::optional<std::size_t> group_number(std::string_view name, const Regex& regex) {
    if (const auto number = parse_unsigned(name)) return static_cast<std::size_t>(*number);
    return regex.group_number(name);
  }

  std::vector<Part> parts_;
};

Result<void> set_label(Evaluation& run, Frame::Row& row, std::string_view name, std::string_view value) {
  FAIRWAY_CHECKED(run.budget.take_labels(row.labels.bytes() + name.size() + value.size()));
  row.labels = LabelsBuilder(std::move(row.labels)).set(name, value).labels();
  if (name == kMetricName) row.drop_name = false;
  return run.budget.work(1);
}

}  // namespace

Result<Frame> evaluate_label_replace(Evaluation& run, const Call& call, const Steps& steps) {
  const std::string_view target = run.text_argument(call, 1);
  const std::string_view source = run.text_argument(call, 3);
  const std::string_view pattern = run.text_argument(call, 4);
  const auto regex = Regex::compile(pattern);
  if (!regex) {
    return fail(ErrorCode::Invalid,
                fmt::format("invalid regular expression in label_replace(): {}", pattern));
  }
  if (!is_label_name(target)) {
    return fail(ErrorCode::Invalid,
                fmt::format("invalid destination label name in label_replace(): {}", target));
  }
  const Replacement replacement(run.text_argument(call, 2), *regex);
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    Frame::Row& row = frame.row(i);
    const auto groups = regex->groups(row.labels.get(source));
    if (groups) FAIRWAY_CHECKED(set_label(run, row, target, replacement.expand(*groups)));
  }
  return merge_equal_rows(std::move(frame), run.budget);
}

Result<Frame> evaluate_label_join(Evaluation& run, const Call& call, const Steps& steps) {
  const std::string_view target = run.text_argument(call, 1);
  const std::string_view separator = run.text_argument(call, 2);
  std::vector<std::string_view> sources;
  for (std::size_t i = 3; i < call.args.size(); ++i) {
    sources.push_back(run.text_argument(call, i));
    if (!is_label_name(sources.back())) {
      return fail(ErrorCode::Invalid,
                  fmt::format("invalid source label name in label_join(): {}", sources.back()));
    }
  }
  if (!is_label_name(target)) {
    return fail(ErrorCode::Invalid,
                fmt::format("invalid destination label name in label_join(): {}", target));
  }
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    std::string joined;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (s > 0) joined += separator;
      joined += frame.row(i).labels.get(sources[s]);
    }
    FAIRWAY_CHECKED(set_label(run, frame.row(i), target, joined));
  }
  return merge_equal_rows(std::move(frame), run.budget);
}

}  // namespace fairway::promql
