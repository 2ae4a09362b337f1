#include "promql/lint_rules.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "promql/functions.hpp"
#include "promql/go_text.hpp"
#include "promql/printer.hpp"
#include "promql/regex.hpp"

namespace fairway::promql {

void LintRules::warn(std::string_view id, Span span, std::string message, std::string fix) {
  findings_.push_back({std::string(id), Severity::Warning, span, std::move(message), std::move(fix)});
}

// The part as canonical text, shortened to fit a sentence.
std::string LintRules::shown(NodeId id) const {
  constexpr std::size_t kMost = 60;
  std::string text = to_string(expr_, id);
  if (text.size() <= kMost) return text;
  return std::string(truncate_runes(text, kMost - 1)) + "…";
}

void LintRules::result_type() {
  if (expr_.type() == ValueType::Vector) return;
  const bool scalar = expr_.type() == ValueType::Scalar;
  findings_.push_back({std::string(kResultType), Severity::Error, expr_.root().span,
                       fmt::format("the result is a {}, the client demands an instant vector with one sample",
                                   documented(expr_.type())),
                       scalar ? fmt::format("write vector({})", shown(expr_.root_id()))
                              : std::string("apply a function such as max_over_time, or aggregate")});
}

// Down from the root to the part that is to blame for more than one series.
NodeId LintRules::source_of_many() const {
  NodeId id = expr_.root_id();
  for (;;) {
    id = expr_.unwrapped(id);
    const Node& node = expr_.node(id);
    if (const auto* unary = node.as<Unary>()) {
      id = unary->expr;
      continue;
    }
    const auto* binary = node.as<Binary>();
    if (binary == nullptr) return id;
    const bool left_many =
        !facts_[binary->left].at_most_one && expr_.node(binary->left).type == ValueType::Vector;
    const bool right_many =
        !facts_[binary->right].at_most_one && expr_.node(binary->right).type == ValueType::Vector;
    if (binary->op == BinaryOp::Or && !left_many && !right_many) return id;
    const bool follows_right = binary->matching && binary->matching->cardinality == Cardinality::OneToMany;
    if (left_many && !follows_right) {
      id = binary->left;
    } else if (right_many) {
      id = binary->right;
    } else {
      return id;
    }
  }
}

LintRules::Reason LintRules::why_many(NodeId id) const {
  const Node& node = expr_.node(id);
  if (const auto* binary = node.as<Binary>(); binary != nullptr && binary->op == BinaryOp::Or) {
    const auto compared =
        compare_signatures(facts_[binary->left].labels, facts_[binary->right].labels, *binary->matching);
    const std::string which =
        compared.can_differ.empty() ? "" : fmt::format(" in {}", join(compared.can_differ, ", "));
    return {fmt::format("both sides of or can be in the result at once: their labels can differ{}", which),
            "match on labels that are the same on both sides, as in or on (), or aggregate away the others"};
  }
  if (const auto* aggregate = node.as<Aggregate>()) {
    const std::string_view op = to_string(aggregate->op);
    const auto open = facts_[id].labels.open_labels();
    if (!aggregate->grouping.empty() && !aggregate->without && !open.empty()) {
      return {fmt::format("{} by can give a series for each value of {}", op, join(open, ", ")),
              fmt::format("fix {} with an equality matcher, or leave it out of by (…)", join(open, ", "))};
    }
    return {fmt::format("{} can give more than one series here", op), "wrap it in topk(1, …), or in max(…)"};
  }
  const auto* selector = node.as<VectorSelector>();
  const std::string what = selector != nullptr && !selector->metric_name().empty()
                               ? fmt::format("every matching series of {}", selector->metric_name())
                               : fmt::format("every series of {}", shown(id));
  return {fmt::format("{} is in the result", what), "aggregate them, as in group(…) or max(…)"};
}

void LintRules::many_series() {
  if (facts_.back().at_most_one) return;
  const NodeId source = source_of_many();
  auto [message, fix] = why_many(source);
  warn(kManySeries, expr_.node(source).span, "not provably at most one series: " + message, std::move(fix));
}

NodeId LintRules::source_of_strange_value() const {
  NodeId id = expr_.root_id();
  for (;;) {
    id = expr_.unwrapped(id);
    const auto* binary = expr_.node(id).as<Binary>();
    if (binary == nullptr || !is_set(binary->op)) return id;
    const bool left = !facts_[binary->left].values.is_boolean();
    id = binary->op != BinaryOp::Or || left ? binary->left : binary->right;
  }
}

void LintRules::not_boolean() {
  if (facts_.back().values.is_boolean()) return;
  const NodeId source = source_of_strange_value();
  if (!facts_[source].values.other) {
    return warn(
        kNotBoolean, expr_.node(source).span,
        fmt::format("the value can be NaN: {} is NaN when its operand is NaN or infinite", shown(source)),
        "multiply a group(…), whose value is always 1");
  }
  warn(kNotBoolean, expr_.node(source).span,
       fmt::format("the value of {} can be other than 0 or 1, which the client does not accept",
                   shown(source)),
       "wrap it in group(…) for 1, multiply a group(…) by 0 for 0, or compare with bool");
}

void LintRules::no_zero() {
  if (facts_.back().values.zero) return;
  const NodeId root = expr_.root_id();
  warn(kNoZero, expr_.root().span,
       "no branch yields 0: where the risk does not apply the result is empty, and the client cannot tell",
       fmt::format("append a branch that is always there, as in {} or 0 * group(…)", shown(root)));
}

bool looks_like_regex(std::string_view value) {
  if (value.empty()) return false;
  const auto has = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
  if (has("|") || has(".*") || has(".+") || has("[.]") || has("[^") || has("(?")) return true;
  if (value.front() == '^' || (value.back() == '$' && value.size() > 1)) return true;
  for (const std::string_view escape : {"\\.", "\\d", "\\w", "\\s", "\\b"}) {
    if (has(escape)) return true;
  }
  // A class such as [0-9], or any class or group that is repeated.
  if (has("[0-9]") || has("[a-z]") || has("[A-Z]")) return true;
  for (const std::string_view repeated : {"]+", "]*", "]?", "]{", ")+", ")*", ")?"}) {
    if (has(repeated) && (has("[") || has("("))) return true;
  }
  return false;
}

namespace {

// Matches every metric that has a name at all.
bool is_unselective(const Matcher& matcher) {
  if (matcher.op == MatchOp::NotEqual) return matcher.value.empty();
  if (matcher.op == MatchOp::Regex) return matcher.value == ".*" || matcher.value == ".+";
  return matcher.op == MatchOp::NotRegex && matcher.value.empty();
}

}  // namespace

void LintRules::selector_rules(const VectorSelector& selector, Span span) {
  for (const Matcher& matcher : selector.matchers) {
    const bool equality = matcher.op == MatchOp::Equal || matcher.op == MatchOp::NotEqual;
    if (!equality || !looks_like_regex(matcher.value) || !check_regex(matcher.value)) continue;
    const std::string_view op = matcher.op == MatchOp::Equal ? "=~" : "!~";
    warn(kRegexInEquality, matcher.span,
         fmt::format("{}{}{} compares with that very text, which looks like a regular expression",
                     matcher.name, to_string(matcher.op), go_quoted(matcher.value)),
         fmt::format("write {}{}{}", matcher.name, op, go_quoted(matcher.value)));
  }
  if (!selector.name.empty() || selector.may_match_all) return;
  const bool names_metrics = std::ranges::any_of(
      selector.matchers, [](const Matcher& m) { return m.name == "__name__" && !is_unselective(m); });
  if (!names_metrics) {
    warn(kMatchesEverything, span, "the selector matches series of every metric",
         "name the metric before the braces");
  }
}

void LintRules::matchers() {
  for (const Node& node : expr_.nodes()) {
    if (const auto* selector = node.as<VectorSelector>()) selector_rules(*selector, node.span);
  }
}

void LintRules::beyond_history(Duration history) {
  const auto written = [](Duration duration) {
    std::string out;
    append_prometheus_duration(out, duration);
    return out;
  };
  for (const Node& node : expr_.nodes()) {
    const auto* matrix = node.as<MatrixSelector>();
    const auto* subquery = node.as<Subquery>();
    if (matrix == nullptr && subquery == nullptr) continue;
    const DurationSpec& range = matrix != nullptr ? matrix->range : subquery->range;
    const TimeModifiers& time =
        matrix != nullptr ? expr_.node(matrix->selector).as<VectorSelector>()->time : subquery->time;
    if (!range.is_constant() || range.value <= Duration::zero()) continue;
    const Duration offset =
        time.offset.is_constant() ? std::max(time.offset.value, Duration::zero()) : Duration::zero();
    if (range.value <= history && offset <= history - range.value) continue;
    warn(kBeyondHistory, node.span,
         fmt::format("the range reaches {} back, samples are kept for {}",
                     written(range.value > Duration::max() - offset ? Duration::max() : range.value + offset),
                     written(history)),
         fmt::format("ask for at most [{}]", written(history)));
  }
}

void LintRules::unknown_metrics(const std::set<std::string, std::less<>>& known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const Node& node : expr_.nodes()) {
    const auto* selector = node.as<VectorSelector>();
    if (selector == nullptr) continue;
    const std::string_view name = selector->metric_name();
    if (name.empty() || known.contains(name)) continue;
    const auto near = nearest(name, names);
    warn(kUnknownMetric, node.span, fmt::format("the metric {} is not among the known ones", quoted(name)),
         near ? fmt::format("did you mean {}?", quoted(*near))
              : std::string("check its name, or add it to the list"));
  }
}

}  // namespace fairway::promql
